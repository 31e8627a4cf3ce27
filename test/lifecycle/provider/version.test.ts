import { afterEach, describe, expect, test } from 'vitest'
import { DiffResponse } from '../../../proto/gen/pulumi/provider.ts'
import { createPluginEngines } from '../plugin-engines.ts'
import { createCloud } from '../cloud.ts'
import type { Monitor, Program } from '../engine.ts'
import { editStackResources, findResource, messagesOf } from '../stack-states.ts'

const engines = createPluginEngines()
afterEach(() => engines.close())

const registerOwnProvider = async (monitor: Monitor, more: object = {}): Promise<string> => {
  const type = 'pulumi:providers:pkgA'
  const { urn, id } = await monitor.register({ type, name: 'own', custom: true, ...more })
  return `${urn}::${id}`
}

const registerThing = (monitor: Monitor, name: string, more: object = {}) =>
  monitor.register({ type: 'pkgA:m:typA', name, custom: true, object: { v: 1 }, ...more })

const createWithExplicitProvider =
  (more: object): Program =>
  async monitor => {
    await registerThing(monitor, 'a', { provider: await registerOwnProvider(monitor, more) })
  }

test.each([
  ['TestProviderVersionDefault: without a version any version is requested', {}, ''],
  ['TestProviderVersionOption: the option version is used', { version: '1.0.0' }, '1.0.0'],
  [
    'TestProviderVersionInput: the input version is used',
    { object: { version: '1.0.0' } },
    '1.0.0',
  ],
  [
    'TestProviderVersionInputAndOption: the option has priority over the input',
    { object: { version: '1.5.0' }, version: '1.0.0' },
    '1.0.0',
  ],
])('%s', async (_title, more, version) => {
  const { run, plugins } = await engines.open(createCloud())
  const { result } = await run(createWithExplicitProvider(more))
  expect(result.result).toBe('succeeded')
  expect(plugins.takeLoaded().map(({ plugin }) => plugin.version)).toEqual([version])
  await run(undefined, { command: 'destroy' })
  expect(plugins.takeLoaded().map(({ plugin }) => plugin.version)).toEqual([version])
})

test('TestPluginDownloadURLPassthrough: the plugin address of an explicit provider is stored and used', async () => {
  const { run, plugins } = await engines.open(createCloud())
  const { state } = await run(createWithExplicitProvider({ pluginDownloadURL: 'get.example/own' }))
  expect(findResource(state, 'own')?.['inputs']).toEqual({
    __internal: { pluginDownloadURL: 'get.example/own' },
  })
  expect(findResource(state, 'own')?.['outputs']).toBeUndefined()
  await run(undefined, { command: 'destroy' })
  expect(plugins.loaded.map(({ plugin }) => plugin.downloadUrl)).toEqual([
    'get.example/own',
    'get.example/own',
  ])
})

test('TestPluginDownloadURLDefaultProvider: the plugin address of a resource is that of its default provider, and part of the name of the provider', async () => {
  const { run, plugins } = await engines.open(createCloud())
  const { state } = await run(async monitor => {
    await registerThing(monitor, 'a', { pluginDownloadURL: 'get.example/', version: '1.0.0' })
  })
  expect(findResource(state, 'default_1_0_0_get.example')?.['inputs']).toEqual({
    version: '1.0.0',
    __internal: { pluginDownloadURL: 'get.example' },
  })
  expect(plugins.loaded.map(({ plugin }) => plugin.downloadUrl)).toEqual(['get.example'])
})

describe('TestProviderVersionAssignment', () => {
  const createThingAndProvider: (more?: object) => Program = more => async monitor => {
    await registerThing(monitor, 'a', more)
    await registerOwnProvider(monitor, more)
  }

  test('TestProviderVersionAssignment: without required packages no version is stored', async () => {
    const { run } = await engines.open(createCloud())
    const { state } = await run(createThingAndProvider())
    expect(findResource(state, 'own')?.['inputs']).toBeUndefined()
    expect(findResource(state, 'default')).toBeDefined()
  })

  test('TestProviderVersionAssignment: an explicit provider gets version and address of the package of the program', async () => {
    const { run, install } = await engines.open(createCloud())
    install('@pulumi/pkgA', { name: 'pkgA', version: '1.1.0', server: 'example.com/default' })
    const { state } = await run(createThingAndProvider())
    const inputs = { version: '1.1.0', __internal: { pluginDownloadURL: 'example.com/default' } }
    expect(findResource(state, 'own')?.['inputs']).toEqual(inputs)
    expect(findResource(state, 'default_1_1_0_example.com/default')?.['inputs']).toEqual(inputs)
  })

  test('TestProviderVersionAssignment: a provider with its own address gets no version', async () => {
    const { run, install } = await engines.open(createCloud())
    install('@pulumi/pkgA', { name: 'pkgA', version: '1.1.0' })
    const { state } = await run(
      createThingAndProvider({ pluginDownloadURL: 'example.com/download' }),
    )
    expect(findResource(state, 'own')?.['inputs']).toEqual({
      __internal: { pluginDownloadURL: 'example.com/download' },
    })
  })

  test('TestProviderVersionAssignment: the package of the program has priority over a higher version in the state', async () => {
    const { run, install } = await engines.open(createCloud())
    await run(async monitor => void (await registerThing(monitor, 'a', { version: '1.3.0' })))
    install('@pulumi/pkgA', { name: 'pkgA', version: '1.1.0' })
    const { state } = await run(createThingAndProvider())
    expect(findResource(state, 'own')?.['inputs']).toEqual({ version: '1.1.0', __internal: {} })
  })

  test('TestProviderVersionAssignment: without packages the highest version of the state is used', async () => {
    const { run } = await engines.open(createCloud())
    await run(async monitor => {
      await registerThing(monitor, 'a', { version: '1.3.0' })
      await registerThing(monitor, 'b', { version: '1.20.0' })
    })
    const { state } = await run(createThingAndProvider())
    expect(findResource(state, 'own')?.['inputs']).toEqual({ version: '1.20.0', __internal: {} })
    expect(findResource(state, 'a')?.['provider']).toContain('::default_1_20_0::')
  })
})

const answerConfig = (change: (news: Record<string, unknown>) => object) => () => ({
  checkConfig: ({ news = {} }: { news?: Record<string, unknown> }) => ({
    inputs: change(news),
    failures: [],
  }),
})

const versionedProgram: Program = async monitor => {
  await registerThing(monitor, 'a', { version: '1.0.0', pluginDownloadURL: 'http://example.com' })
}
const defaultName = 'default_1_0_0_http_/example.com'

test('TestDroppedVersion: a version that the provider drops is restored', async () => {
  const { run } = await engines.open(
    createCloud(),
    answerConfig(({ version: _dropped, ...news }) => news),
  )
  const { state } = await run(versionedProgram)
  expect(findResource(state, defaultName)?.['inputs']).toMatchObject({ version: '1.0.0' })
})

test('TestChangedVersion: a version that the provider changes causes one error', async () => {
  const cloud = createCloud()
  const { run, errorsOf } = await engines.open(
    cloud,
    answerConfig(news => ({ ...news, version: '2.0.0' })),
  )
  const testRun = await run(versionedProgram)
  expect(testRun.result.result).toBe('failed')
  expect(errorsOf(testRun)).toEqual([
    expect.stringContaining('attempted to change version from "1.0.0" to "2.0.0"'),
  ])
  expect(cloud.mutatingCalls).toEqual([])
})

test('TestInternalKey: a value that the provider returns under the reserved key is dropped with a warning', async () => {
  const { run } = await engines.open(
    createCloud(),
    answerConfig(news => ({ ...news, __internal: { some: 'internal data' } })),
  )
  const { state, events } = await run(versionedProgram)
  expect(findResource(state, defaultName)?.['inputs']).toEqual({
    version: '1.0.0',
    __internal: { pluginDownloadURL: 'http://example.com' },
  })
  expect(messagesOf(events, 'warning')).toEqual([
    expect.stringContaining('attempted to use __internal key that is reserved by the engine'),
  ])
})

test('TestInternalFiltered: providers never receive the internal values of the engine', async () => {
  const { run, plugins } = await engines.open(createCloud(), () => ({
    diffConfig: () => DiffResponse.create({ changes: 1 }),
  }))
  const createAt =
    (version: string): Program =>
    async monitor => {
      await registerThing(monitor, 'a', {
        provider: await registerOwnProvider(monitor, { version }),
      })
      await registerThing(monitor, 'b', { version })
    }
  await run(createAt('1.0.0'))
  const { result } = await run(createAt('1.1.0'))
  expect(result.result).toBe('succeeded')
  const calls = plugins.loaded.flatMap(plugin => plugin.calls)
  expect(calls.map(({ method }) => method)).toContain('diffConfig')
  expect(JSON.stringify(calls)).not.toContain('__internal')
})

test('TestRefreshLegacyState: version and address at the root of the old inputs of a provider are used and stay there', async () => {
  const engine = await engines.open(createCloud())
  const { run, plugins } = engine
  await run(createWithExplicitProvider({ version: '1.0.0' }))
  const old = { version: '1.3.0', pluginDownloadURL: 'http://example.com' }
  await editStackResources(engine, resource =>
    resource.urn.endsWith('::own') ? [{ ...resource, inputs: old, outputs: old }] : [resource],
  )
  plugins.takeLoaded()
  const { state, result } = await run(undefined, { command: 'refresh' })
  expect(result.result).toBe('succeeded')
  expect(findResource(state, 'own')?.['inputs']).toEqual(old)
  expect(plugins.takeLoaded().map(({ plugin }) => [plugin.version, plugin.downloadUrl])).toEqual([
    ['1.3.0', 'http://example.com'],
  ])
})
