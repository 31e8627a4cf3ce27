/**
 * Every pair of secrets providers: one stack moves from each provider to each other one. A second
 * stack, which stays under a passphrase, reads its secret output through a StackReference.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { emulatorVaultToken } from '../../infra/emulators/emulators.ts'
import { findFilesWith } from '../e2e/find-files-with.ts'
import {
  type CommandOptions,
  type CommandOutput,
  createSandbox,
  requireSuccess,
  type Sandbox,
} from '../e2e/sandbox.ts'
import { createAzureServers } from '../key-services/azure-servers.ts'
import { createGoogleServers } from '../key-services/google-servers.ts'
import { type LoopbackCloud, startLoopbackCloud } from '../key-services/loopback-cloud.ts'
import {
  type PulumiService,
  serviceToken,
  startPulumiService,
} from '../key-services/pulumi-secrets-server.ts'
import { createKeyUrl } from './create-key-url.ts'
import { describeWithServices } from './describe-with-services.ts'
import { describeVaultEngine } from './vault-engine.ts'

const password = 'hunter-two-and-a-half'
const googleKey = 'projects/p-1/locations/global/keyRings/stacks/cryptoKeys/pulumi'
const azure = createAzureServers(['pulumi'])
const google = createGoogleServers([googleKey])
const readerProgram = `
const pulumi = require('@pulumi/pulumi')
const shop = new pulumi.StackReference('organization/shop/dev')
exports.password = shop.requireOutput('password')
`

/**
 * Returns a sequence in which each ordered pair of different names is adjacent once. It ends with
 * its first name. Source: Hierholzer's algorithm.
 */
function walkEachPair(names: readonly string[]): readonly string[] {
  const unused = new Map(names.map(name => [name, names.filter(other => other !== name)]))
  const path = [names[0] ?? '']
  const walk: string[] = []
  while (path.length > 0) {
    const next = unused.get(path.at(-1) ?? '')?.shift()
    if (next === undefined) walk.unshift(path.pop() ?? '')
    else path.push(next)
  }
  return walk
}

describeWithServices('secrets providers', ['KMS', 'VAULT'], settings => {
  const vault = describeVaultEngine()
  let sandbox: Sandbox
  let reader: Sandbox
  let cloud: LoopbackCloud
  let service: PulumiService
  let providers: Readonly<Record<string, string>> = {}
  let env: NonNullable<CommandOptions['env']> = {}

  beforeAll(async () => {
    await vault.createKeys('pulumi')
    cloud = await startLoopbackCloud([...azure.servers, ...google.servers])
    service = await startPulumiService(['acme/shop/dev'])
    sandbox = createSandbox('shop')
    const files = { 'Pulumi.yaml': 'name: reader\nruntime: nodejs\n', 'index.js': readerProgram }
    reader = createSandbox(undefined, { files })
    providers = {
      passphrase: 'passphrase',
      awskms: await createKeyUrl(settings()),
      azurekeyvault: 'azurekeyvault://acme.vault.azure.net/keys/pulumi',
      gcpkms: `gcpkms://${googleKey}`,
      hashivault: vault.keyUrlOf('pulumi'),
      service: `service://${new URL(service.address).host}/acme/shop/dev`,
    }
    env = {
      ...cloud.env,
      ...azure.env,
      ...google.env,
      VAULT_ADDR: vault.address,
      VAULT_TOKEN: emulatorVaultToken,
      PULUMI_BACKEND_URL: service.address,
      PULUMI_ACCESS_TOKEN: serviceToken,
      ANTICHAIN_KMS_ENDPOINT: settings().endpoints.KMS,
      ANTICHAIN_HOME: sandbox.home,
    }
  })
  afterAll(async () => {
    for (const one of [sandbox, reader]) one?.remove()
    await cloud?.close()
    await service?.close()
  })

  const run = (target: Sandbox, command: string): Promise<CommandOutput> =>
    target.run(command.split(' '), { env })
  const runSuccessfully = async (target: Sandbox, command: string): Promise<string> =>
    requireSuccess(await run(target, command)).out

  test('a stack moves between each pair of providers, and another stack reads its output under each', {
    timeout: 900_000,
  }, async () => {
    await runSuccessfully(sandbox, 'stack init dev')
    await runSuccessfully(sandbox, `config set --secret password ${password}`)
    await runSuccessfully(sandbox, 'up --yes --skip-preview')
    await runSuccessfully(reader, 'stack init dev')
    const checkedProviders = new Set<string>()
    const [, ...moves] = walkEachPair(Object.keys(providers))
    expect(moves).toHaveLength(30)
    for (const name of moves) {
      await runSuccessfully(sandbox, `stack change-secrets-provider ${providers[name]}`)
      const exported = await runSuccessfully(sandbox, 'stack export')
      const file = readFileSync(join(sandbox.program, 'Pulumi.dev.yaml'), 'utf8')
      const type = ['passphrase', 'service'].includes(name) ? name : 'cloud'
      expect(JSON.parse(exported)).toMatchObject({ deployment: { secrets_providers: { type } } })
      expect(exported + file).not.toContain(password)
      const outputs = await runSuccessfully(sandbox, 'stack output --json --show-secrets')
      expect([name, JSON.parse(outputs)]).toMatchObject([name, { password }])
      if (checkedProviders.has(name)) continue
      checkedProviders.add(name)
      expect(await runSuccessfully(sandbox, 'config get password')).toBe(`${password}\n`)
      expect(await runSuccessfully(sandbox, 'up --yes --skip-preview')).toMatch(/unchanged/)
      await runSuccessfully(reader, 'up --yes --skip-preview')
      const read = await runSuccessfully(reader, 'stack output --json --show-secrets')
      expect([name, JSON.parse(read)]).toEqual([name, { password }])
    }
    expect(checkedProviders.size).toBe(6)
    for (const folder of [sandbox.home, reader.program])
      expect(findFilesWith(folder, password)).toEqual([])
  })
})
