import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { createPluginEngines } from '../plugin-engines.ts'

const engines = createPluginEngines()
afterEach(() => engines.close())

const base = { name: 'pkgA', version: '1.0.0' }
const parameterization = { name: 'pkgExt', version: '0.5.0', value: Buffer.from('replacement') }

test('TestPackageRef: packages are distinguished by their version, and serve resources, functions and reads', async () => {
  const cloud = createCloud()
  const { run, plugins } = await engines.open(cloud)
  const refs: string[] = []
  const { state, result } = await run(async monitor => {
    for (const version of ['1.0.0', '1.0.0', '2.0.0'])
      refs.push(await monitor.registerPackage({ name: 'pkgA', version }))
    const [first = '', , second = ''] = refs
    const input = { type: 'pkgA:m:typA', custom: true, object: {} }
    const one = await monitor.register({
      ...input,
      name: 'one',
      packageRef: first,
      version: '7.0.0',
    })
    await monitor.register({ ...input, name: 'two', packageRef: second })
    await monitor.invokeWith({ tok: 'pkgA:m:fn', packageRef: second })
    cloud.objects.set('there', { v: 1 })
    await monitor.read('read', 'there', { type: 'pkgA:m:typA', packageRef: first })
    expect(one.id).toBe('one-1')
  })
  expect(result.result).toBe('succeeded')
  expect(refs[0]).toBe(refs[1])
  expect(refs[0]).not.toBe(refs[2])
  const loaded = plugins.loaded.map(one => [one.plugin.version, one.listCalls()] as const)
  expect(loaded.map(([version]) => version)).toEqual(['1.0.0', '2.0.0'])
  expect(loaded[0]?.[1]).toEqual(['checkConfig', 'configure', 'check', 'create', 'read'])
  expect(loaded[1]?.[1]).toEqual(['checkConfig', 'configure', 'check', 'create', 'invoke'])
  const names = state.resources?.map(({ urn }) => urn.split('::').at(-1))
  expect(names).toEqual(['life-dev', 'default_1_0_0', 'one', 'default_2_0_0', 'two', 'read'])
})

test.each([
  [{ name: '' }, 'package name is empty'],
  [{ name: 'pkgA', version: '1.0' }, 'parse package version 1.0'],
  [{ name: 'pkgA', version: 'v1.0.0' }, 'parse package version v1.0.0'],
  [
    { ...base, parameterization: { ...parameterization, version: 'new' } },
    'parse parameter version new',
  ],
])(
  'TestPackageRef: an invalid package and an unknown reference are refused (%#)',
  async (input, message) => {
    const { run } = await engines.open(createCloud())
    const refusals: string[] = []
    await run(async monitor => {
      await monitor.registerPackage(input).catch((thrown: Error) => refusals.push(thrown.message))
      const unknown = { type: 'pkgA:m:typA', name: 'a', custom: true, packageRef: 'missing' }
      await monitor.register(unknown).catch((thrown: Error) => refusals.push(thrown.message))
    })
    expect(refusals[0]).toContain(message)
    expect(refusals[1]).toContain("unknown provider package 'missing'")
  },
)

/** Uses a plugin as it is, and as the package that a parameterization makes of it. */
const replacementProgram: Program = async monitor => {
  const packageRef = await monitor.registerPackage({ ...base, parameterization })
  const input = { custom: true, object: {} }
  await monitor.register({ ...input, type: 'pkgA:m:typA', name: 'plain' })
  await monitor.register({ ...input, type: 'pkgExt:m:typA', name: 'made', packageRef })
  const ownProvider = { type: 'pulumi:providers:pkgExt', name: 'own', packageRef }
  const { urn, id } = await monitor.register({ ...input, ...ownProvider })
  const provider = `${urn}::${id}`
  await monitor.register({ ...input, type: 'pkgExt:m:typA', name: 'under', provider })
  await monitor.invokeWith({ tok: 'pkgExt:m:fn', packageRef })
}

const internal = {
  name: 'pkgA',
  version: '1.0.0',
  parameterization: Buffer.from('replacement').toString('base64'),
}

test('TestReplacementParameterizedProvider: a plugin is parameterized before any other request, and its provider records the parameters', async () => {
  const { run, plugins } = await engines.open(createCloud())
  const { state, result } = await run(replacementProgram)
  expect(result.result).toBe('succeeded')
  const [plain, defaultPlugin, explicitPlugin] = plugins.takeLoaded()
  expect([plain, defaultPlugin, explicitPlugin].map(one => one?.plugin.name)).toEqual([
    'pkgA',
    'pkgA',
    'pkgA',
  ])
  expect([plain, defaultPlugin, explicitPlugin].map(one => one?.plugin.version)).toEqual([
    '',
    '1.0.0',
    '1.0.0',
  ])
  expect(plain?.listCalls()).not.toContain('parameterize pkgExt 0.5.0 replacement')
  expect(defaultPlugin?.listCalls()).toEqual([
    'parameterize pkgExt 0.5.0 replacement',
    'checkConfig',
    'configure',
    'check',
    'create',
    'invoke',
  ])
  const providers = state.resources?.filter(({ type }) => type === 'pulumi:providers:pkgExt')
  expect(providers?.map(({ urn }) => urn.split('::').at(-1))).toEqual(['default_0_5_0', 'own'])
  for (const provider of providers ?? []) {
    expect(provider['inputs']).toEqual({ version: '0.5.0', __internal: internal })
    expect(provider['outputs']).toEqual({ version: '0.5.0' })
  }
  expect(defaultPlugin?.requestOf('checkConfig')['news']).toEqual({ version: '0.5.0' })
})

test('TestReplacementParameterizedProvider: a later delete parameterizes the plugin from the state alone', async () => {
  const { run, plugins } = await engines.open(createCloud())
  await run(replacementProgram)
  plugins.takeLoaded()
  const { state } = await run(undefined, { command: 'destroy' })
  expect(state.resources ?? []).toEqual([])
  const callNames = plugins.takeLoaded().map(one => one.listCalls())
  const first = 'parameterize pkgExt 0.5.0 replacement'
  expect(callNames.filter(pluginCalls => pluginCalls.includes(first))).toEqual([
    [first, 'configure', 'delete'],
    [first, 'configure', 'delete'],
  ])
})

test('TestReplacementParameterizedProvider: with an existing state, the version of an explicit provider becomes that of its plugin, as in Pulumi', async () => {
  const { run } = await engines.open(createCloud())
  await run(replacementProgram)
  const { state } = await run(replacementProgram)
  const ownProvider = state.resources?.find(({ urn }) => urn.endsWith('::own'))
  expect(ownProvider?.['inputs']).toEqual({ version: '1.0.0', __internal: internal })
})

test('TestReplacementParameterizedProvider: a response for another package causes one error, and nothing is created', async () => {
  const cloud = createCloud()
  const { run, errorsOf } = await engines.open(cloud, () => ({
    parameterize: () => ({ name: 'other', version: '1.0.0' }),
  }))
  const testRun = await run(replacementProgram)
  expect(testRun.result.result).toBe('failed')
  expect(errorsOf(testRun)).toEqual([
    expect.stringContaining('response name "other" does not match expected package "pkgExt"'),
  ])
  expect(cloud.mutatingCalls).not.toContain('create made')
})

test('TestReplacementParameterizedProviderConfig: configuration keys that equal internal names reach the provider', async () => {
  const { run, plugins } = await engines.open(createCloud())
  const { state } = await run(replacementProgram, {
    configTexts: {
      'pkgExt:name': { text: 'testingBase' },
      'pkgExt:parameterization': { text: 'p' },
    },
  })
  const provider = state.resources?.find(({ urn }) => urn.endsWith('::default_0_5_0'))
  expect(provider?.['inputs']).toEqual({
    name: 'testingBase',
    parameterization: 'p',
    version: '0.5.0',
    __internal: internal,
  })
  expect(plugins.loaded[1]?.plugin.name).toBe('pkgA')
  expect(plugins.loaded[1]?.requestOf('configure')['args']).toEqual({
    name: 'testingBase',
    parameterization: 'p',
    version: '0.5.0',
  })
})

test('TestReplacementParameterizedProviderImport: an object is imported under a parameterized package, by its default provider and by an explicit one', async () => {
  const cloud = createCloud()
  for (const id of ['one', 'two']) cloud.objects.set(id, { v: 1 })
  const { run, plugins } = await engines.open(cloud)
  const { state, result } = await run(async monitor => {
    const packageRef = await monitor.registerPackage({ ...base, parameterization })
    const input = { type: 'pkgExt:m:typA', custom: true, object: { v: 1 }, packageRef }
    await monitor.register({ ...input, name: 'a', importId: 'one' })
    const ownProvider = { type: 'pulumi:providers:pkgExt', name: 'own', custom: true, packageRef }
    const { urn, id } = await monitor.register(ownProvider)
    await monitor.register({ ...input, name: 'b', importId: 'two', provider: `${urn}::${id}` })
  })
  expect(result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual([])
  const imported = state.resources?.filter(({ type }) => type === 'pkgExt:m:typA') ?? []
  expect(imported.map(one => one['id'])).toEqual(['one', 'two'])
  expect(imported.map(one => (one['provider'] as string).split('::').at(-2))).toEqual([
    'default_0_5_0',
    'own',
  ])
  const first = 'parameterize pkgExt 0.5.0 replacement'
  expect(plugins.loaded.map(one => one.listCalls()[0])).toEqual([first, first])
})
