import { afterEach, expect, test } from 'vitest'
import { withRef } from '../../../shared/providers/package-request.ts'
import type { ImportedResource } from '../../../shared/records/import.ts'
import { createBench } from '../bench.ts'
import { createCloud } from '../cloud.ts'
import { Killed } from '../process.ts'

const bench = createBench()
afterEach(() => bench.close())

const value = Buffer.from('blob').toString('base64')
const extension = { name: 'ext-a', version: '1.0.0', value }

const one = (name: string, more: Partial<ImportedResource>): ImportedResource => ({
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

test('TestImportExtensionParameterizedResource: a provider is extended before it reads, and state and snapshot say by what', async () => {
  const { run, plugins } = await bench.of(cloudOf('a', 'b', 'c'))
  const imports = [one('a', { extension }), one('b', { extension }), one('c', {})]
  const { state, result } = await run(undefined, { command: 'import', imports })
  expect(result.result).toBe('succeeded')
  const heard = plugins.loaded.flatMap(plugin => plugin.heard())
  const words = 'parameterize ext-a 1.0.0 blob'
  expect(heard.filter(word => word === words)).toHaveLength(1)
  expect(heard.indexOf(words)).toBeLessThan(heard.indexOf('read'))
  const { ref } = withRef(extension)
  expect(state.extensions).toEqual({ [ref]: extension })
  const imported = state.resources?.filter(({ type }) => type === 'pkgA:m:typA') ?? []
  expect(imported.map(found => [found['id'], found['extensionRef']])).toEqual([
    ['there-a', ref],
    ['there-b', ref],
    ['there-c', undefined],
  ])
})

test('a resource of a package with parameters is imported by a provider that has them', async () => {
  const { run, plugins } = await bench.of(cloudOf('a'))
  const parameterization = { pluginName: 'base', pluginVersion: '2.0.0', value }
  const imports = [one('a', { type: 'pkgExt:m:typA', version: '0.5.0', parameterization })]
  const { state, result } = await run(undefined, { command: 'import', imports })
  expect(result.result).toBe('succeeded')
  const [plugin] = plugins.loaded
  expect(plugin?.plugin).toMatchObject({ name: 'base', version: '2.0.0' })
  expect(plugin?.heard()[0]).toBe('parameterize pkgExt 0.5.0 blob')
  const provider = state.resources?.find(({ urn }) => urn.endsWith('::default_0_5_0'))
  expect(provider?.['inputs']).toEqual({
    version: '0.5.0',
    __internal: { name: 'base', version: '2.0.0', parameterization: value },
  })
})

test('parameters of the packages of the program are those of what is imported', async () => {
  const { run, plugins, install } = await bench.of(cloudOf('a'))
  install('@acme/ext', {
    ...{ name: 'base', version: '2.0.0' },
    parameterization: { name: 'pkgExt', version: '0.5.0', value },
  })
  const imports = [one('a', { type: 'pkgExt:m:typA', version: '' })]
  const { result } = await run(undefined, { command: 'import', imports })
  expect(result.result).toBe('succeeded')
  expect(plugins.loaded[0]?.heard()[0]).toBe('parameterize pkgExt 0.5.0 blob')
})

test.each(['before', 'after'] as const)(
  'an import that dies %s its reads begin knows its extensions in its next life',
  async when => {
    const { run, plugins } = await bench.of(cloudOf('a', 'b'))
    const imports = [one('a', { extension }), one('b', { extension })]
    const asked = { command: 'import', imports } as const
    const kill = { call: 'operations.begin', effect: 1, when } as const
    await expect(run(undefined, { ...asked, kill })).rejects.toThrow(Killed)
    plugins.take()
    const { state, result } = await run(undefined, { ...asked, resume: true })
    expect(result.result).toBe('succeeded')
    const { ref } = withRef(extension)
    expect(state.extensions).toEqual({ [ref]: extension })
    const imported = state.resources?.filter(({ type }) => type === 'pkgA:m:typA') ?? []
    expect(imported.map(found => found['extensionRef'])).toEqual([ref, ref])
  },
)
