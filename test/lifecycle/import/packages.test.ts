import { afterEach, expect, test } from 'vitest'
import { withExtensionRef } from '../../../shared/providers/package-request.ts'
import type { ImportedResource } from '../../../shared/records/imported-resource.ts'
import { createPluginEngines } from '../plugin-engines.ts'
import { createCloud } from '../cloud.ts'
import { ProcessKilledError } from '../test-process.ts'

const engines = createPluginEngines()
afterEach(() => engines.close())

const value = Buffer.from('blob').toString('base64')
const extension = { name: 'ext-a', version: '1.0.0', value }

const createImport = (name: string, more: Partial<ImportedResource>): ImportedResource => ({
  type: 'pkgA:m:typA',
  name,
  id: `there-${name}`,
  parent: '',
  provider: '',
  version: '1.0.0',
  pluginDownloadUrl: '',
  protect: true,
  isChosen: false,
  component: 'no',
  ...more,
})

function cloudOf(...names: readonly string[]) {
  const cloud = createCloud()
  for (const name of names) cloud.objects.set(`there-${name}`, { v: 1 })
  return cloud
}

test('TestImportExtensionParameterizedResource: a provider is extended before the read, and the resource and the snapshot name the extension', async () => {
  const { run, plugins } = await engines.open(cloudOf('a', 'b', 'c'))
  const imports = [
    createImport('a', { extension }),
    createImport('b', { extension }),
    createImport('c', {}),
  ]
  const { state, result } = await run(undefined, { command: 'import', imports })
  expect(result.result).toBe('succeeded')
  const callNames = plugins.loaded.flatMap(plugin => plugin.listCalls())
  const parameterizeCall = 'parameterize ext-a 1.0.0 blob'
  expect(callNames.filter(callName => callName === parameterizeCall)).toHaveLength(1)
  expect(callNames.indexOf(parameterizeCall)).toBeLessThan(callNames.indexOf('read'))
  const { ref } = withExtensionRef(extension)
  expect(state.extensions).toEqual({ [ref]: extension })
  const imported = state.resources?.filter(({ type }) => type === 'pkgA:m:typA') ?? []
  expect(imported.map(resource => [resource['id'], resource['extensionRef']])).toEqual([
    ['there-a', ref],
    ['there-b', ref],
    ['there-c', undefined],
  ])
})

test('a resource of a parameterized package is imported by a provider with the same parameters', async () => {
  const { run, plugins } = await engines.open(cloudOf('a'))
  const parameterization = { pluginName: 'base', pluginVersion: '2.0.0', value }
  const imports = [createImport('a', { type: 'pkgExt:m:typA', version: '0.5.0', parameterization })]
  const { state, result } = await run(undefined, { command: 'import', imports })
  expect(result.result).toBe('succeeded')
  const [plugin] = plugins.loaded
  expect(plugin?.plugin).toMatchObject({ name: 'base', version: '2.0.0' })
  expect(plugin?.listCalls()[0]).toBe('parameterize pkgExt 0.5.0 blob')
  const provider = state.resources?.find(({ urn }) => urn.endsWith('::default_0_5_0'))
  expect(provider?.['inputs']).toEqual({
    version: '0.5.0',
    __internal: { name: 'base', version: '2.0.0', parameterization: value },
  })
})

test("an import uses the parameters of the program's packages", async () => {
  const { run, plugins, install } = await engines.open(cloudOf('a'))
  install('@acme/ext', {
    name: 'base',
    version: '2.0.0',
    parameterization: { name: 'pkgExt', version: '0.5.0', value },
  })
  const imports = [createImport('a', { type: 'pkgExt:m:typA', version: '' })]
  const { result } = await run(undefined, { command: 'import', imports })
  expect(result.result).toBe('succeeded')
  expect(plugins.loaded[0]?.listCalls()[0]).toBe('parameterize pkgExt 0.5.0 blob')
})

test.each(['before', 'after'] as const)(
  'an import that is killed %s its reads begin finds its extensions in the next generator run',
  async when => {
    const { run, plugins } = await engines.open(cloudOf('a', 'b'))
    const imports = [createImport('a', { extension }), createImport('b', { extension })]
    const options = { command: 'import', imports } as const
    const kill = { call: 'operations.begin', effect: 1, when } as const
    await expect(run(undefined, { ...options, kill })).rejects.toThrow(ProcessKilledError)
    plugins.takeLoaded()
    const { state, result } = await run(undefined, { ...options, resume: true })
    expect(result.result).toBe('succeeded')
    const { ref } = withExtensionRef(extension)
    expect(state.extensions).toEqual({ [ref]: extension })
    const imported = state.resources?.filter(({ type }) => type === 'pkgA:m:typA') ?? []
    expect(imported.map(resource => resource['extensionRef'])).toEqual([ref, ref])
  },
)
