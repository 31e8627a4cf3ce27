import { afterEach, describe, expect, test } from 'vitest'
import { DiffResponse } from '../../../proto/gen/pulumi/provider.ts'
import { createBench } from '../bench.ts'
import { createCloud } from '../cloud.ts'
import type { Monitor, Program } from '../engine.ts'
import { editedResources, named, told } from '../states.ts'

const bench = createBench()
afterEach(() => bench.close())

const own = async (monitor: Monitor, more: object = {}): Promise<string> => {
  const type = 'pulumi:providers:pkgA'
  const { urn, id } = await monitor.register({ type, name: 'own', custom: true, ...more })
  return `${urn}::${id}`
}

const thing = (monitor: Monitor, name: string, more: object = {}) =>
  monitor.register({ type: 'pkgA:m:typA', name, custom: true, object: { v: 1 }, ...more })

const explicit =
  (more: object): Program =>
  async monitor => {
    await thing(monitor, 'a', { provider: await own(monitor, more) })
  }

test.each([
  ['TestProviderVersionDefault: nothing said asks for any', {}, ''],
  ['TestProviderVersionOption: the option counts', { version: '1.0.0' }, '1.0.0'],
  ['TestProviderVersionInput: the input counts', { object: { version: '1.0.0' } }, '1.0.0'],
  [
    'TestProviderVersionInputAndOption: the option goes before the input',
    { object: { version: '1.5.0' }, version: '1.0.0' },
    '1.0.0',
  ],
])('%s', async (_title, more, version) => {
  const { run, plugins } = await bench.of(createCloud())
  const { result } = await run(explicit(more))
  expect(result.result).toBe('succeeded')
  expect(plugins.take().map(({ plugin }) => plugin.version)).toEqual([version])
  await run(undefined, { command: 'destroy' })
  expect(plugins.take().map(({ plugin }) => plugin.version)).toEqual([version])
})

test('TestPluginDownloadURLPassthrough: the address of an explicit provider is kept and used', async () => {
  const { run, plugins } = await bench.of(createCloud())
  const { state } = await run(explicit({ pluginDownloadURL: 'get.example/own' }))
  expect(named(state, 'own')?.['inputs']).toEqual({
    __internal: { pluginDownloadURL: 'get.example/own' },
  })
  expect(named(state, 'own')?.['outputs']).toBeUndefined()
  await run(undefined, { command: 'destroy' })
  expect(plugins.loaded.map(({ plugin }) => plugin.downloadUrl)).toEqual([
    'get.example/own',
    'get.example/own',
  ])
})

test('TestPluginDownloadURLDefaultProvider: the address of a resource is that of its default provider, and in its name', async () => {
  const { run, plugins } = await bench.of(createCloud())
  const { state } = await run(async monitor => {
    await thing(monitor, 'a', { pluginDownloadURL: 'get.example/', version: '1.0.0' })
  })
  expect(named(state, 'default_1_0_0_get.example')?.['inputs']).toEqual({
    version: '1.0.0',
    __internal: { pluginDownloadURL: 'get.example' },
  })
  expect(plugins.loaded.map(({ plugin }) => plugin.downloadUrl)).toEqual(['get.example'])
})

describe('TestProviderVersionAssignment', () => {
  const both: (more?: object) => Program = more => async monitor => {
    await thing(monitor, 'a', more)
    await own(monitor, more)
  }

  test('TestProviderVersionAssignment: without a table nothing is written', async () => {
    const { run } = await bench.of(createCloud())
    const { state } = await run(both())
    expect(named(state, 'own')?.['inputs']).toBeUndefined()
    expect(named(state, 'default')).toBeDefined()
  })

  test('TestProviderVersionAssignment: an explicit provider gets version and address of the program’s package', async () => {
    const { run, install } = await bench.of(createCloud())
    install('@pulumi/pkgA', { name: 'pkgA', version: '1.1.0', server: 'example.com/default' })
    const { state } = await run(both())
    const inputs = { version: '1.1.0', __internal: { pluginDownloadURL: 'example.com/default' } }
    expect(named(state, 'own')?.['inputs']).toEqual(inputs)
    expect(named(state, 'default_1_1_0_example.com/default')?.['inputs']).toEqual(inputs)
  })

  test('TestProviderVersionAssignment: one that has an address of its own gets no version', async () => {
    const { run, install } = await bench.of(createCloud())
    install('@pulumi/pkgA', { name: 'pkgA', version: '1.1.0' })
    const { state } = await run(both({ pluginDownloadURL: 'example.com/download' }))
    expect(named(state, 'own')?.['inputs']).toEqual({
      __internal: { pluginDownloadURL: 'example.com/download' },
    })
  })

  test('TestProviderVersionAssignment: the program’s package goes before a higher one of the state', async () => {
    const { run, install } = await bench.of(createCloud())
    await run(async monitor => void (await thing(monitor, 'a', { version: '1.3.0' })))
    install('@pulumi/pkgA', { name: 'pkgA', version: '1.1.0' })
    const { state } = await run(both())
    expect(named(state, 'own')?.['inputs']).toEqual({ version: '1.1.0', __internal: {} })
  })

  test('TestProviderVersionAssignment: without packages the highest of the state counts', async () => {
    const { run } = await bench.of(createCloud())
    await run(async monitor => {
      await thing(monitor, 'a', { version: '1.3.0' })
      await thing(monitor, 'b', { version: '1.20.0' })
    })
    const { state } = await run(both())
    expect(named(state, 'own')?.['inputs']).toEqual({ version: '1.20.0', __internal: {} })
    expect(named(state, 'a')?.['provider']).toContain('::default_1_20_0::')
  })
})

const answering = (change: (news: Record<string, unknown>) => object) => () => ({
  checkConfig: ({ news = {} }: { news?: Record<string, unknown> }) => ({
    inputs: change(news),
    failures: [],
  }),
})

const versioned: Program = async monitor => {
  await thing(monitor, 'a', { version: '1.0.0', pluginDownloadURL: 'http://example.com' })
}
const name = 'default_1_0_0_http_/example.com'

test('TestDroppedVersion: a version that the provider drops is put back', async () => {
  const { run } = await bench.of(
    createCloud(),
    answering(({ version: _dropped, ...news }) => news),
  )
  const { state } = await run(versioned)
  expect(named(state, name)?.['inputs']).toMatchObject({ version: '1.0.0' })
})

test('TestChangedVersion: a version that the provider changes is one error', async () => {
  const cloud = createCloud()
  const { run, errorsOf } = await bench.of(
    cloud,
    answering(news => ({ ...news, version: '2.0.0' })),
  )
  const ran = await run(versioned)
  expect(ran.result.result).toBe('failed')
  expect(errorsOf(ran)).toEqual([
    expect.stringContaining('attempted to change version from "1.0.0" to "2.0.0"'),
  ])
  expect(cloud.log).toEqual([])
})

test('TestInternalKey: what the provider puts where the engine keeps its own is left out, with a warning', async () => {
  const { run } = await bench.of(
    createCloud(),
    answering(news => ({ ...news, __internal: { some: 'internal data' } })),
  )
  const { state, events } = await run(versioned)
  expect(named(state, name)?.['inputs']).toEqual({
    version: '1.0.0',
    __internal: { pluginDownloadURL: 'http://example.com' },
  })
  expect(told(events, 'warning')).toEqual([
    expect.stringContaining('attempted to use __internal key that is reserved by the engine'),
  ])
})

test('TestInternalFiltered: no provider ever sees what is the engine’s own', async () => {
  const { run, plugins } = await bench.of(createCloud(), () => ({
    diffConfig: () => DiffResponse.create({ changes: 1 }),
  }))
  const at =
    (version: string): Program =>
    async monitor => {
      await thing(monitor, 'a', { provider: await own(monitor, { version }) })
      await thing(monitor, 'b', { version })
    }
  await run(at('1.0.0'))
  const { result } = await run(at('1.1.0'))
  expect(result.result).toBe('succeeded')
  const calls = plugins.loaded.flatMap(one => one.calls)
  expect(calls.map(({ method }) => method)).toContain('diffConfig')
  expect(JSON.stringify(calls)).not.toContain('__internal')
})

test('TestRefreshLegacyState: version and address at the root of an old state are used, and stay there', async () => {
  const engine = await bench.of(createCloud())
  const { run, plugins } = engine
  await run(explicit({ version: '1.0.0' }))
  const old = { version: '1.3.0', pluginDownloadURL: 'http://example.com' }
  await editedResources(engine, resource =>
    resource.urn.endsWith('::own') ? [{ ...resource, inputs: old, outputs: old }] : [resource],
  )
  plugins.take()
  const { state, result } = await run(undefined, { command: 'refresh' })
  expect(result.result).toBe('succeeded')
  expect(named(state, 'own')?.['inputs']).toEqual(old)
  expect(plugins.take().map(({ plugin }) => [plugin.version, plugin.downloadUrl])).toEqual([
    ['1.3.0', 'http://example.com'],
  ])
})
