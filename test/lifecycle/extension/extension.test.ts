import { createHash } from 'node:crypto'
import { afterEach, expect, test } from 'vitest'
import {
  type ParameterizeRequest,
  ParameterizeResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import type { Script } from '../../../shared/providers/pulumi/scripted-server.fixture.ts'
import { createPluginEngines } from '../plugin-engines.ts'
import { createCloud } from '../cloud.ts'
import type { Monitor, Program, TestRun } from '../engine.ts'
import { openFunctions } from '../test-functions.ts'
import { ProcessKilledError } from '../test-process.ts'

const engines = createPluginEngines()
afterEach(() => engines.close())

const base = { name: 'pkgA', version: '1.0.0' }
const extensionValues = { extA: 'first', extB: 'second' }

/** Returns the reference of an extension: a hash. In a template, no digit may follow `\0`. */
const refOf = (name: string, value: string): string =>
  createHash('sha256').update(`${name}\0${'0.1.0'}\0${value}`).digest('hex')
const [refA, refB] = [refOf('extA', 'first'), refOf('extB', 'second')]

const blobOf = (name: string, value: string) => ({
  name,
  version: '0.1.0',
  value: Buffer.from(value).toString('base64'),
})

function registerExtension(monitor: Monitor, name: string, value: string): Promise<string> {
  const extension = { name, version: '0.1.0', value: Buffer.from(value) }
  return monitor.registerPackage({ ...base, extension })
}

const program =
  (v: number, extensionNames: readonly string[] = ['extA', 'extB']): Program =>
  async monitor => {
    const common = { custom: true, object: { v } }
    await monitor.register({ ...common, type: 'pkgA:m:typA', name: 'plain', version: '1.0.0' })
    for (const [name, value] of Object.entries(extensionValues)) {
      if (!extensionNames.includes(name)) continue
      const packageRef = await registerExtension(monitor, name, value)
      const registrations = ['one', 'two'].map(suffix =>
        monitor.register({
          ...common,
          type: `${name}:m:typ`,
          name: `${name}-${suffix}`,
          packageRef,
        }),
      )
      await Promise.all(registrations)
    }
  }

const findParameterizeCalls = (callNames: readonly string[]): readonly string[] =>
  callNames.filter(call => call.startsWith('parameterize'))
const [parameterizeA, parameterizeB] = [
  'parameterize extA 0.1.0 first',
  'parameterize extB 0.1.0 second',
]

test('TestExtensionParameterizedProvider: the configured provider receives each extension once, each state names its extension, and the snapshot has all', async () => {
  const { run, plugins } = await engines.open(createCloud())
  const { state, result, events } = await run(program(1))
  expect(result.result).toBe('succeeded')
  const [first, ...laterPlugins] = plugins.takeLoaded()
  expect(laterPlugins).toEqual([])
  const callNames = first?.listCalls() ?? []
  expect(findParameterizeCalls(callNames)).toEqual([parameterizeA, parameterizeB])
  expect(callNames.indexOf(parameterizeA)).toBeGreaterThan(callNames.indexOf('configure'))
  const extensionRefs = state.resources?.flatMap(({ urn, extensionRef }) =>
    typeof extensionRef === 'string' ? [[urn.split('::').at(-1), extensionRef]] : [],
  )
  expect(Object.fromEntries(extensionRefs ?? [])).toEqual({
    'extA-one': refA,
    'extA-two': refA,
    'extB-one': refB,
    'extB-two': refB,
  })
  expect(state.extensions).toEqual({
    [refA]: blobOf('extA', 'first'),
    [refB]: blobOf('extB', 'second'),
  })
  const providers = state.resources?.filter(({ type }) => type.startsWith('pulumi:providers:'))
  expect(providers?.map(({ urn }) => urn.split('::').at(-1))).toEqual(['default_1_0_0'])
  expect(providers?.[0]?.['inputs']).toEqual({ version: '1.0.0', __internal: {} })
  // Pulumi runs an internal step with this name for an extension. No client is to see it.
  expect(JSON.stringify(events)).not.toContain('extend-parameterize')
})

test('TestExtensionParameterizedProvider: a refresh extends the provider from the snapshot, once per extension', async () => {
  const cloud = createCloud()
  const { run, plugins } = await engines.open(cloud)
  await run(program(1))
  plugins.takeLoaded()
  const { state, result } = await run(undefined, { command: 'refresh' })
  expect(result.result).toBe('succeeded')
  expect(
    plugins.takeLoaded().map(one => [...findParameterizeCalls(one.listCalls())].sort()),
  ).toEqual([[parameterizeA, parameterizeB]])
  expect(Object.keys(state.extensions ?? {}).sort()).toEqual([refA, refB].sort())
})

test('TestExtensionParameterizedProvider: an extension that no resource uses leaves the snapshot', async () => {
  const { run, plugins } = await engines.open(createCloud())
  await run(program(1))
  plugins.takeLoaded()
  const { state, result } = await run(program(2, ['extB']))
  expect(result.changes).toMatchObject({ update: 3, delete: 2 })
  expect(state.extensions).toEqual({ [refB]: blobOf('extB', 'second') })
  // The deletes still needed the other extension.
  expect(plugins.takeLoaded().flatMap(one => findParameterizeCalls(one.listCalls()))).toEqual([
    parameterizeB,
    parameterizeA,
  ])
})

test('TestExtensionParameterizedProvider: a preview extends the provider and records nothing', async () => {
  const { run, plugins } = await engines.open(createCloud())
  const { state, result, effects } = await run(program(1), { dryRun: true })
  expect(result.result).toBe('succeeded')
  expect(plugins.takeLoaded().map(one => findParameterizeCalls(one.listCalls()))).toEqual([
    [parameterizeA, parameterizeB],
  ])
  expect(state.extensions).toBeUndefined()
  expect(effects.filter(name => name.includes('append'))).toEqual([])
})

/** Returns the names of the resources that the errors name. */
const findErrorNames = ({ events }: TestRun): readonly string[] =>
  events
    .flatMap(event => ('diagnosticEvent' in event ? [event.diagnosticEvent] : []))
    .filter(({ severity }) => severity === 'error')
    .map(({ urn = '' }) => urn.split('::').at(-1) ?? '')
    .toSorted()

test('TestExtensionParameterizedProvider: an extension that the provider refuses fails each resource that needs it, and no other', async () => {
  const cloud = createCloud()
  const { run, errorsOf } = await engines.open(cloud, () => ({
    parameterize: () => {
      throw new Error('not this one')
    },
  }))
  const testRun = await run(program(1, ['extA']))
  expect(testRun.result.result).toBe('failed')
  expect(errorsOf(testRun)).toEqual(['not this one', 'not this one'])
  expect(findErrorNames(testRun)).toEqual(['extA-one', 'extA-two'])
  expect(cloud.mutatingCalls).toEqual(['create plain'])
  expect(testRun.state.extensions).toBeUndefined()
})

test('TestExtensionParameterizedProviderDeleteParameterizesFromState: a destroy extends the provider from the snapshot before the first delete', async () => {
  const cloud = createCloud()
  const { run, plugins } = await engines.open(cloud)
  await run(program(1))
  plugins.takeLoaded()
  const { state, result } = await run(undefined, { command: 'destroy' })
  expect(result.result).toBe('succeeded')
  expect(cloud.objects.size).toBe(0)
  expect(state.extensions).toBeUndefined()
  const [first, ...laterPlugins] = plugins.takeLoaded()
  expect(laterPlugins).toEqual([])
  const callNames = first?.listCalls() ?? []
  expect([...findParameterizeCalls(callNames)].sort()).toEqual([parameterizeA, parameterizeB])
  expect(callNames.filter(call => call === 'delete')).toHaveLength(5)
})

test('TestExtensionParameterizedProviderDeleteParameterizesFromState: a resumed run finds the extension in the log', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const { run, plugins } = engine
  // The first extension is durable, with the decision on the first resource that needs it.
  const kill = { row: { list: 'recordExtension', row: 1 }, effect: 1, when: 'after' } as const
  await expect(run(program(1), { kill })).rejects.toThrow(ProcessKilledError)
  plugins.takeLoaded()
  const { state, result } = await run(program(1), { resume: true })
  expect(result.result).toBe('succeeded')
  expect(Object.keys(state.extensions ?? {}).sort()).toEqual([refA, refB].sort())
  expect(cloud.mutatingCalls.toSorted()).toEqual([...new Set(cloud.mutatingCalls)].toSorted())
})

test('TestExtensionParameterizedProvider: an executor in another process reads extensions from the log or the base, and sends them to its own provider', async () => {
  const cloud = createCloud()
  let parameterizeCalls = 0
  const parameterize = ({ parameters }: ParameterizeRequest): ParameterizeResponse => {
    parameterizeCalls += 1
    const { name, version } = { name: '', version: '', ...parameters?.value }
    return ParameterizeResponse.create({ name, version })
  }
  const script: Script = { ...cloud.script, parameterize }
  const functions = await openFunctions({ ...cloud, script }, program(1, ['extA']))
  await functions.requestDeployment('first')
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  expect(await functions.runToIdle()).toContain('ended')
  expect(cloud.mutatingCalls.toSorted()).toEqual([
    'create extA-one',
    'create extA-two',
    'create plain',
  ])
  // The generator extends its provider for Check, and each executor extends its own for Create.
  expect(parameterizeCalls).toBeGreaterThanOrEqual(2)
  expect((await functions.readState()).extensions).toEqual({ [refA]: blobOf('extA', 'first') })
  parameterizeCalls = 0
  await functions.requestDeployment('second', { command: 'destroy' })
  functions.nudges.push({ stack: functions.stack, delayMs: 0 })
  expect(await functions.runToIdle()).toContain('ended')
  expect(parameterizeCalls).toBeGreaterThanOrEqual(1)
  expect(cloud.objects.size).toBe(0)
  await functions.close()
})
