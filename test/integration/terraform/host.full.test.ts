import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createProcesses } from '../../../shared/platform/system/processes.ts'
import type { PluginHost, Provider } from '../../../shared/providers/provider.ts'
import { withTerraformPlugins } from '../../../shared/providers/terraform/terraform-plugins.ts'
import type { Urn } from '../../../shared/names/urn.ts'
import { buildTestProvider } from '../../tfgolden/build-provider.ts'
import { describeWithCommands } from '../../e2e/toolchains.ts'

/** A host without plugins, which `withTerraformPlugins` extends with Terraform providers. */
const emptyHost: PluginHost = {
  load: () => Promise.reject(new Error('the host has no plugins')),
  obtain: () => Promise.resolve({ missing: 'no plugin' }),
  cancelAll: () => Promise.resolve(),
  abandon: () => undefined,
  close: () => Promise.resolve(),
}

describeWithCommands('the host of Terraform providers', [['go', 'version']], () => {
  let programs: string
  const processes = createProcesses()
  const folder = mkdtempSync(join(tmpdir(), 'tf-host-'))
  mkdirSync(join(folder, 'cloud'))
  beforeAll(() => {
    programs = buildTestProvider()
  })
  afterAll(async () => {
    await processes.close()
    rmSync(folder, { recursive: true, force: true })
  })

  const createHost = (): PluginHost =>
    withTerraformPlugins(emptyHost, {
      processes,
      env: { PATH: process.env['PATH'] ?? '', TMPDIR: folder, OWN_CLOUD: join(folder, 'cloud') },
      programFolder: programs,
      openInstaller: async () => ({
        obtain: () =>
          Promise.resolve({
            path: join(programs, 'terraform-provider-tfgold'),
            version: '0.0.0',
            source: 'golden/tfgold',
            providerName: 'tfgold',
          }),
      }),
      report: () => undefined,
    })

  const load = (host: PluginHost, mappings: ReadonlyMap<string, string>): Promise<Provider> =>
    host.load(
      { kind: 'resource', name: 'terraform-provider', version: '', downloadUrl: '' },
      { pkg: 'tfgold', packageConfig: {}, envVarMappings: mappings },
    )

  const parameterize = (provider: Provider, path: string): Promise<void> =>
    provider.parameterize({
      name: 'tfgold',
      version: '0.0.0',
      value: Buffer.from(JSON.stringify({ local: { path } })).toString('base64'),
    })

  test('gives a provider its environment variables under the names that the mappings contain', async () => {
    const host = createHost()
    const provider = await load(host, new Map([['OWN_CLOUD', 'TFGOLD_CLOUD']]))
    await parameterize(provider, './terraform-provider-tfgold')
    const subject = {
      urn: 'urn:pulumi:dev::p::tfgold:index/thing:Thing::a' as Urn,
      name: 'a',
      type: 'tfgold:index/thing:Thing',
    }
    await provider.configure({ ...subject, id: 'p', inputs: new Map() })
    const inputs = new Map([['name', 'a']])
    await provider.create({ ...subject, inputs, timeoutSeconds: 0, preview: false })
    expect(readdirSync(join(folder, 'cloud', 'objects'))).toEqual(['a-1.json'])
    await host.close()
    expect(provider.hasEnded()).toBe(true)
  })
})
