import { afterEach, expect, test } from 'vitest'
import { DiffResponse } from '../../../proto/gen/pulumi/provider.ts'
import type { ReadRequest } from '../../../proto/gen/pulumi/provider.ts'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { editStackResources } from '../stack-states.ts'
import {
  errorMessagesOf,
  listStateNames,
  listNamesByOp,
  resourceStateOf,
  allStepsOf,
  targetUrnOf,
} from '../target/run-summary.ts'
import {
  createEngines,
  deleteFirst,
  registerThing,
  createThings,
  withDependency,
} from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const byProgram = { command: 'refresh', runProgram: true } as const
const refreshFirst = { refresh: true, runProgram: true } as const

test('TestRefreshWithProgram, TestRefreshWithProgramWithDeletedResource: the program receives the read state, and unknown values for missing resources', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const replies: unknown[] = []
  const program =
    (v: number, more: readonly string[] = []): Program =>
    async monitor => {
      const a = await registerThing(monitor, 'a', { v })
      replies.push([a.id, a.object, a.unknown])
      const b = await registerThing(monitor, 'b', { v }, { dependencies: [a.urn] })
      replies.push([b.id, b.object, b.unknown])
      for (const name of more) replies.push((await registerThing(monitor, name, { v })).unknown)
      await monitor.registerOutputs(monitor.stack, { v })
    }
  await engine.run(program(1))
  cloud.objects.set('b-1', { v: 7 })
  replies.length = 0
  const read = await engine.run(program(2), byProgram)
  expect(read.result.result).toBe('succeeded')
  expect(replies).toEqual([
    ['a-1', { v: 1 }, false],
    ['b-1', { v: 7 }, false],
  ])
  expect(allStepsOf(read)).toEqual(['refresh a', 'refresh b'])
  expect(read.result.changes).toEqual({ same: 2, update: 1 })
  expect(resourceStateOf(read, 'b')).toMatchObject({ inputs: { v: 7 }, outputs: { v: 7 } })
  expect(resourceStateOf(read, 'life-dev').outputs).toEqual({ v: 2 })
  cloud.objects.delete('a-1')
  replies.length = 0
  const gone = await engine.run(program(2, ['new']), byProgram)
  expect(gone.result.result).toBe('succeeded')
  expect(replies).toEqual([['', {}, true], ['b-1', { v: 7 }, false], true])
  expect(gone.result.changes).toEqual({ delete: 1, same: 4 })
  expect(listStateNames(gone)).toEqual(['b'])
  // The dependency `a` no longer exists.
  expect(resourceStateOf(gone, 'b').dependencies ?? []).toEqual([])
  expect(cloud.mutatingCalls).toEqual(['create a', 'create b'])
})

test('the preview of a refresh with the program changes nothing and reports the same steps as the refresh', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const before = await engine.run(createThings({ a: { v: 1 }, b: { v: 1 }, left: { v: 1 } }))
  cloud.objects.set('a-1', { v: 7 })
  cloud.objects.delete('b-1')
  cloud.objects.delete('left-1')
  const program = createThings({ a: { v: 2 }, b: { v: 2 }, new: { v: 2 } })
  const shown = await engine.run(program, { ...byProgram, dryRun: true })
  expect(shown.state).toEqual(before.state)
  const done = await engine.run(program, byProgram)
  expect(shown.result.changes).toEqual(done.result.changes)
  expect([...allStepsOf(shown)].sort()).toEqual([...allStepsOf(done)].sort())
  expect(done.result.changes).toEqual({ same: 3, update: 1, delete: 2 })
  expect(listStateNames(done)).toEqual(['a'])
  expect(cloud.mutatingCalls).toHaveLength(3)
})

test('drift is reported with the drifted properties, as the change from the state to the cloud', async () => {
  const cloud = createCloud()
  const diff = () => {
    // The provider compares the cloud with the state: 0 is ADD, which is reported as a delete.
    const detailedDiff = new Map([['v', { kind: 0 as const, inputDiff: true }]])
    return DiffResponse.create({ changes: 2, diffs: ['v'], detailedDiff, hasDetailedDiff: true })
  }
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, diff } })
  const program = createThings({ a: { v: 1 } })
  await engine.run(program)
  cloud.objects.set('a-1', {})
  for (const options of [{ command: 'refresh' }, byProgram] as const) {
    const testRun = await engine.run(program, { ...options, dryRun: true })
    const diffEvents = testRun.events.flatMap(event =>
      'resOutputsEvent' in event && event.resOutputsEvent.metadata.op === 'update'
        ? [event.resOutputsEvent.metadata]
        : [],
    )
    expect(diffEvents).toMatchObject([
      { diffs: ['v'], detailedDiff: { v: { diffKind: 'delete', inputDiff: true } } },
    ])
  }
})

test('TestRefreshWithProviderThatHasDependencies: a resource with a missing dependency is not created by a refresh', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (registersC: boolean): Program =>
    async monitor => {
      const a = await registerThing(monitor, 'a', { v: 1 })
      const type = 'pulumi:providers:test'
      const p = await monitor.register({
        type,
        name: 'p',
        custom: true,
        object: {},
        dependencies: [a.urn],
      })
      await registerThing(monitor, 'b', { v: 1 }, { provider: `${p.urn}::${p.id || 'unknown'}` })
      const c = registersC ? await registerThing(monitor, 'c', { v: 1 }) : undefined
      const propertyDependencies = new Map(c === undefined ? [] : [['v', { urns: [c.urn] }]])
      await registerThing(monitor, 'd', { v: 1 }, { propertyDependencies })
    }
  const emptyRun = await engine.run(program(false), byProgram)
  expect(emptyRun.result.result).toBe('succeeded')
  expect(listStateNames(emptyRun)).toEqual([])
  const secondRun = await engine.run(program(false))
  expect(listStateNames(secondRun)).toEqual(['a', 'b', 'd'])
  const testRun = await engine.run(program(true), byProgram)
  expect(testRun.result.result).toBe('succeeded')
  expect(testRun.state.resources).toHaveLength(secondRun.state.resources?.length ?? 0)
  expect(resourceStateOf(testRun, 'd')).not.toMatchObject({
    propertyDependencies: { v: [targetUrnOf('c')] },
  })
})

/** Creates a cloud whose reads fail in every region except the current one. */
function createRegionalCloud() {
  const cloud = createCloud()
  const now = { region: 'one' }
  let configured: unknown
  const script = {
    ...cloud.script,
    configure: (request: never) => {
      configured = (request as { args?: { region?: string } }).args?.region
      return cloud.script.configure?.(request)
    },
    read: (request: never) => {
      if (configured !== now.region) throw new Error(`read in ${String(configured)}`)
      return cloud.script.read?.(request)
    },
  }
  return { cloud: { ...cloud, script }, now }
}

test('TestRefreshWithProgramUpdateExplicitProvider: a resource is read with the current provider of the program', async () => {
  const { cloud, now } = createRegionalCloud()
  const engine = await engines.open(cloud)
  const program =
    (region: string): Program =>
    async monitor => {
      const type = 'pulumi:providers:test'
      const p = await monitor.register({ type, name: 'p', custom: true, object: { region } })
      await registerThing(monitor, 'a', { v: 1 }, { provider: `${p.urn}::${p.id}` })
    }
  await engine.run(program('one'))
  now.region = 'two'
  const stale = await engine.run(undefined, { command: 'refresh' })
  expect(stale.result.result).toBe('failed')
  const testRun = await engine.run(program('two'), byProgram)
  expect(testRun.result.result).toBe('succeeded')
  expect(allStepsOf(testRun)).toEqual(['update p', 'refresh a'])
  expect(resourceStateOf(testRun, 'p').inputs).toEqual({ region: 'two' })
})

test('TestRefreshWithProgramUpdateDefaultProvider, TestRefreshWithProgramUpdateDefaultProviderWithoutRegistration: the default provider has the current configuration if the program uses it', async () => {
  const { cloud, now } = createRegionalCloud()
  const engine = await engines.open(cloud)
  const createConfig = (region: string) =>
    new Map([['test:region', { text: region, isSecret: false, isObject: false }]])
  const program = createThings({ a: { v: 1 } })
  await engine.run(program, { config: createConfig('one') })
  // The program does not use the default provider, so its stored configuration is used.
  const other = await engine.run(createThings({}), { ...byProgram, config: createConfig('two') })
  expect(other.result.result).toBe('succeeded')
  expect(allStepsOf(other)).toContain('refresh a')
  expect(listStateNames(other)).toEqual(['a'])
  now.region = 'two'
  const testRun = await engine.run(program, { ...byProgram, config: createConfig('two') })
  expect(testRun.result.result).toBe('succeeded')
  expect(resourceStateOf(testRun, 'default').inputs).toMatchObject({ region: 'two' })
})

test('TestRefreshWithBigProgram: more resources than the limit of concurrent reads are read', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const names = Array.from({ length: 9 }, (_, index) => `a${index}`)
  const program: Program = async monitor => {
    await Promise.all(names.map(name => registerThing(monitor, name, { v: 1 })))
  }
  await engine.run(program)
  for (const name of names) cloud.objects.set(`${name}-1`, { v: 2 })
  const testRun = await engine.run(program, { ...byProgram, parallel: 2 })
  expect(testRun.result.result).toBe('succeeded')
  expect(listNamesByOp(testRun, 'refresh')).toEqual(names)
  for (const name of names) expect(resourceStateOf(testRun, name).outputs).toEqual({ v: 2 })
})

test('TestRefreshWithAlias: a resource is read under its new type', async () => {
  const cloud = createCloud()
  const reads: ReadRequest[] = []
  const script = {
    ...cloud.script,
    read: (request: never) => {
      reads.push(request)
      return cloud.script.read?.(request)
    },
  }
  const engine = await engines.open({ ...cloud, script })
  await engine.run(createThings({ a: { v: 1 } }))
  const spec = { name: '', type: 'test:index:Thing', stack: '', project: '', parent: undefined }
  const testRun = await engine.run(async monitor => {
    const aliases = [{ alias: { $case: 'spec' as const, value: spec } }]
    const type = 'test:index:Other'
    await monitor.register({ type, name: 'a', custom: true, object: { v: 2 }, aliases })
  }, byProgram)
  expect(testRun.result.result).toBe('succeeded')
  const [read] = reads
  expect([read?.type, read?.urn, read?.id]).toEqual([
    'test:index:Other',
    'urn:pulumi:dev::life::test:index:Other::a',
    'a-1',
  ])
  expect(resourceStateOf(testRun, 'a')).toMatchObject({
    urn: 'urn:pulumi:dev::life::test:index:Other::a',
    inputs: { v: 1 },
  })
})

test('TestRefreshRunProgramDeletedResource, TestRefreshRunProgramReplacedResource: an update is based on the read state', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ gone: { v: 1 }, moved: { replace: 1 }, same: { v: 1 } }))
  cloud.objects.delete('gone-1')
  cloud.objects.set('same-1', { v: 2 })
  const wanted = { gone: { v: 1 }, moved: { replace: 2 }, same: { v: 2 } }
  const testRun = await engine.run(createThings(wanted), refreshFirst)
  expect(testRun.result.result).toBe('succeeded')
  expect(allStepsOf(testRun)).toEqual([
    ...['refresh gone', 'create gone', 'refresh moved', 'create-replacement moved'],
    ...['replace moved', 'refresh same', 'same same', 'delete-replaced moved'],
  ])
  expect(testRun.result.changes).toEqual({ create: 1, replace: 1, same: 2 })
  expect(resourceStateOf(testRun, 'gone').id).toBe('gone-2')
  expect(resourceStateOf(testRun, 'moved').id).toBe('moved-2')
  expect(resourceStateOf(testRun, 'same').outputs).toEqual({ v: 2 })
  expect([...cloud.objects.keys()].sort()).toEqual(['gone-2', 'moved-2', 'same-1'])
})

test('TestRefreshRunProgramDBRReplacedResource: a resource and its dependents are deleted before their replacements are created', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (v: number): Program =>
    async monitor => {
      const root = await registerThing(monitor, 'root', { replace: v }, deleteFirst)
      await registerThing(monitor, 'below', { replace: root.id }, withDependency(root.urn))
    }
  await engine.run(program(1))
  const testRun = await engine.run(program(2), refreshFirst)
  expect(testRun.result.result).toBe('succeeded')
  expect(resourceStateOf(testRun, 'root').id).toBe('root-2')
  expect(resourceStateOf(testRun, 'below').id).toBe('below-2')
  expect(listStateNames(testRun)).toEqual(['below', 'root'])
  expect(cloud.mutatingCalls.slice(2)).toEqual([
    ...['delete below-1', 'delete root-1', 'create root', 'create below'],
  ])
})

test('an update that refreshes with its program deletes unregistered resources without reading them', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
  const testRun = await engine.run(createThings({ a: { v: 1 } }), refreshFirst)
  expect(allStepsOf(testRun)).toEqual(['refresh a', 'same a', 'delete b'])
  expect(cloud.mutatingCalls.at(-1)).toBe('delete b-1')
})

test('a move to another provider replaces nothing in an update that refreshes with its program, as in Pulumi', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (name: string): Program =>
    async monitor => {
      const type = 'pulumi:providers:test'
      const p = await monitor.register({ type, name, custom: true, object: {} })
      await registerThing(monitor, 'a', { v: 1 }, { provider: `${p.urn}::${p.id}` })
    }
  await engine.run(program('one'))
  const testRun = await engine.run(program('two'), refreshFirst)
  expect(testRun.result.result).toBe('succeeded')
  expect(listNamesByOp(testRun, 'same')).toEqual(['a'])
  expect(resourceStateOf(testRun, 'a').provider).toContain('::two::')
  expect(cloud.mutatingCalls).toEqual(['create a'])
})

test('with --run-program but without --refresh no resource is read, not even if its provider requests a read before an update', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  await editStackResources(engine, resource => [
    resource.urn.endsWith('::a') ? { ...resource, refreshBeforeUpdate: true } : resource,
  ])
  const testRun = await engine.run(createThings({ a: { v: 2 } }), { runProgram: true })
  expect(allStepsOf(testRun)).toEqual(['update a'])
  expect(errorMessagesOf(testRun)).toEqual([])
})
