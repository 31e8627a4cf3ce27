import { expect, test } from 'vitest'
import type { StackId } from '../../records/ids.ts'
import type { SecretsManager } from '../../secrets/crypter.ts'
import type { StoredDeployment, StoredResource } from '../../state/stored.ts'
import { migrateProviders } from './migrate-providers.ts'

const crypter = { encrypt: (text: string) => `sealed ${text}`, decrypt: (text: string) => text }
const request = {
  stack: 'organization/shop/dev' as StackId,
  config: new Map([
    ['gold:region', { text: 'north', isSecret: false, isObject: false }],
    ['gold:token', { text: 'hush', isSecret: true, isObject: false }],
    ['other:region', { text: 'south', isSecret: false, isObject: false }],
  ]),
  secrets: { type: 'passphrase', state: {}, crypter } as unknown as SecretsManager,
}

const thing = (name: string, more: object = {}): StoredResource => ({
  urn: `urn:pulumi:dev::shop::gold:index:Thing::${name}`,
  ...{ custom: true, type: 'gold:index:Thing', id: name, ...more },
})
const providerUrn = 'urn:pulumi:dev::shop::pulumi:providers:gold::default'
const secretOfToken = {
  '4dabf18193072939515e22adb298388d': '1b47061264138c4ac30d75fd1eb44270',
  ciphertext: 'sealed "hush"',
}

/** Migrates a state with these resources and plugins. Returns the resources. */
async function migrate(resources: readonly StoredResource[], plugins?: unknown) {
  const manifest = { time: '', magic: '', version: '', ...(plugins ? { plugins } : {}) }
  const stored: StoredDeployment = { manifest, metadata: {}, resources }
  let count = 0
  const migrated = await migrateProviders(stored, request, () => `id-${++count}`)
  return { isSame: migrated === stored, resources: migrated.resources ?? [] }
}

test('resources without a provider share a default provider of the configuration', async () => {
  const component = { ...thing('c'), custom: false }
  const explicit = thing('b', { provider: `${providerUrn}::other` })
  const { resources } = await migrate([component, thing('a'), explicit, thing('d')])
  const inputs = { region: 'north', token: secretOfToken }
  const provider = { urn: providerUrn, custom: true, id: 'id-1', type: 'pulumi:providers:gold' }
  expect(resources).toEqual([
    { ...provider, inputs, outputs: inputs },
    component,
    thing('a', { provider: `${providerUrn}::id-1` }),
    explicit,
    thing('d', { provider: `${providerUrn}::id-1` }),
  ])
})

test('a default provider has the version that the manifest names, and no address', async () => {
  const plugins = [
    { name: 'gold', type: 'resource', version: '1.0.0' },
    { name: 'gold', type: 'resource', version: 'v2.1' },
  ]
  const { resources } = await migrate([thing('a')], plugins)
  expect(resources[0]?.['inputs']).toEqual({
    region: 'north',
    token: secretOfToken,
    version: '2.1.0',
    __internal: { pluginChecksums: {}, pluginDownloadURL: '' },
  })
})

test('a provider without outputs has its inputs as outputs, without the values of the engine', async () => {
  const inputs = { region: 'north', __internal: { pluginDownloadURL: '' } }
  const provider = { urn: providerUrn, custom: true, type: 'pulumi:providers:gold', inputs }
  const { resources } = await migrate([provider])
  expect(resources).toEqual([{ ...provider, outputs: { region: 'north' } }])
})

test('a state that lacks no provider stays the same object', async () => {
  const provider = { urn: providerUrn, custom: true, type: 'pulumi:providers:gold' }
  const view = thing('v', { viewOf: thing('a').urn })
  const { isSame } = await migrate([provider, view, thing('a', { provider: `${providerUrn}::x` })])
  expect(isSame).toBe(true)
})
