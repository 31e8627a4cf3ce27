import { afterEach, expect, test } from 'vitest'
import { DiffResponse } from '../../../proto/gen/pulumi/provider.ts'
import type { ReadRequest } from '../../../proto/gen/pulumi/provider.ts'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { editedResources } from '../states.ts'
import { errorsOf, kept, namesBy, stateOf, stepsOf, urnOf } from '../target/look.ts'
import { createEngines, deleteFirst, thing, things, upon } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const byProgram = { command: 'refresh', runProgram: true } as const
const first = { refresh: true, runProgram: true } as const

test('TestRefreshWithProgram, TestRefreshWithProgramWithDeletedResource: the program sees what was read, and that nothing is there', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const replies: unknown[] = []
  const program =
    (v: number, more: readonly string[] = []): Program =>
    async monitor => {
      const a = await thing(monitor, 'a', { v })
      replies.push([a.id, a.object, a.unknown])
      const b = await thing(monitor, 'b', { v }, { dependencies: [a.urn] })
      replies.push([b.id, b.object, b.unknown])
      for (const name of more) replies.push((await thing(monitor, name, { v })).unknown)
      await monitor.outputs(monitor.stack, { told: v })
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
  expect(stepsOf(read)).toEqual(['refresh a', 'refresh b'])
  expect(read.result.changes).toEqual({ same: 2, update: 1 })
  expect(stateOf(read, 'b')).toMatchObject({ inputs: { v: 7 }, outputs: { v: 7 } })
  expect(stateOf(read, 'life-dev').outputs).toEqual({ told: 2 })
  cloud.objects.delete('a-1')
  replies.length = 0
  const gone = await engine.run(program(2, ['new']), byProgram)
  expect(gone.result.result).toBe('succeeded')
  expect(replies).toEqual([['', {}, true], ['b-1', { v: 7 }, false], true])
  expect(gone.result.changes).toEqual({ delete: 1, same: 4 })
  expect(kept(gone)).toEqual(['b'])
  // What it depended on is not there any more.
  expect(stateOf(gone, 'b').dependencies ?? []).toEqual([])
  expect(cloud.log).toEqual(['create a', 'create b'])
})

test('a preview of it changes nothing and tells the same', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const before = await engine.run(things({ a: { v: 1 }, b: { v: 1 }, left: { v: 1 } }))
  cloud.objects.set('a-1', { v: 7 })
  cloud.objects.delete('b-1')
  cloud.objects.delete('left-1')
  const program = things({ a: { v: 2 }, b: { v: 2 }, new: { v: 2 } })
  const shown = await engine.run(program, { ...byProgram, dryRun: true })
  expect(shown.state).toEqual(before.state)
  const done = await engine.run(program, byProgram)
  expect(shown.result.changes).toEqual(done.result.changes)
  expect([...stepsOf(shown)].sort()).toEqual([...stepsOf(done)].sort())
  expect(done.result.changes).toEqual({ same: 3, update: 1, delete: 2 })
  expect(kept(done)).toEqual(['a'])
  expect(cloud.log).toHaveLength(3)
})

test('drift is told with what drifted, as it came to be', async () => {
  const cloud = createCloud()
  const diff = () => {
    const detailedDiff = new Map([['v', { kind: 0 as const, inputDiff: true }]])
    return DiffResponse.create({ changes: 2, diffs: ['v'], detailedDiff, hasDetailedDiff: true })
  }
  const engine = await engines.of({ ...cloud, script: { ...cloud.script, diff } })
  const program = things({ a: { v: 1 } })
  await engine.run(program)
  cloud.objects.set('a-1', {})
  for (const asked of [{ command: 'refresh' }, byProgram] as const) {
    const ran = await engine.run(program, { ...asked, dryRun: true })
    const told = ran.events.flatMap(event =>
      'resOutputsEvent' in event && event.resOutputsEvent.metadata.op === 'update'
        ? [event.resOutputsEvent.metadata]
        : [],
    )
    expect(told).toMatchObject([
      { diffs: ['v'], detailedDiff: { v: { diffKind: 'delete', inputDiff: true } } },
    ])
  }
})

test('TestRefreshWithProviderThatHasDependencies: what needs something that is not there is not made', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program =
    (isMore: boolean): Program =>
    async monitor => {
      const a = await thing(monitor, 'a', { v: 1 })
      const type = 'pulumi:providers:test'
      const p = await monitor.register({
        ...{ type, name: 'p', custom: true, object: {} },
        dependencies: [a.urn],
      })
      await thing(monitor, 'b', { v: 1 }, { provider: `${p.urn}::${p.id || 'unknown'}` })
      const c = isMore ? await thing(monitor, 'c', { v: 1 }) : undefined
      const of = new Map(c === undefined ? [] : [['v', { urns: [c.urn] }]])
      await thing(monitor, 'd', { v: 1 }, { propertyDependencies: of })
    }
  const empty = await engine.run(program(false), byProgram)
  expect(empty.result.result).toBe('succeeded')
  expect(kept(empty)).toEqual([])
  const made = await engine.run(program(false))
  expect(kept(made)).toEqual(['a', 'b', 'd'])
  const ran = await engine.run(program(true), byProgram)
  expect(ran.result.result).toBe('succeeded')
  expect(ran.state.resources).toHaveLength(made.state.resources?.length ?? 0)
  expect(stateOf(ran, 'd')).not.toMatchObject({ propertyDependencies: { v: [urnOf('c')] } })
})

/** A cloud whose reads fail under any other region than one. */
function regional() {
  const cloud = createCloud()
  const now = { region: 'one' }
  let configured: unknown
  const script = {
    ...cloud.script,
    configure: (ask: never) => {
      configured = (ask as { args?: { region?: string } }).args?.region
      return cloud.script.configure?.(ask)
    },
    read: (ask: never) => {
      if (configured !== now.region) throw new Error(`read in ${String(configured)}`)
      return cloud.script.read?.(ask)
    },
  }
  return { cloud: { ...cloud, script }, now }
}

test('TestRefreshWithProgramUpdateExplicitProvider: it is read by the provider that the program has now', async () => {
  const { cloud, now } = regional()
  const engine = await engines.of(cloud)
  const program =
    (region: string): Program =>
    async monitor => {
      const type = 'pulumi:providers:test'
      const p = await monitor.register({ type, name: 'p', custom: true, object: { region } })
      await thing(monitor, 'a', { v: 1 }, { provider: `${p.urn}::${p.id}` })
    }
  await engine.run(program('one'))
  now.region = 'two'
  const stale = await engine.run(undefined, { command: 'refresh' })
  expect(stale.result.result).toBe('failed')
  const ran = await engine.run(program('two'), byProgram)
  expect(ran.result.result).toBe('succeeded')
  expect(stepsOf(ran)).toEqual(['update p', 'refresh a'])
  expect(stateOf(ran, 'p').inputs).toEqual({ region: 'two' })
})

test('TestRefreshWithProgramUpdateDefaultProvider, TestRefreshWithProgramUpdateDefaultProviderWithoutRegistration: the default provider is as it is configured now where the program uses it', async () => {
  const { cloud, now } = regional()
  const engine = await engines.of(cloud)
  const config = (region: string) =>
    new Map([['test:region', { text: region, secret: false, object: false }]])
  const program = things({ a: { v: 1 } })
  await engine.run(program, { config: config('one') })
  // Nobody registers it: what the state says holds.
  const other = await engine.run(things({}), { ...byProgram, config: config('two') })
  expect(other.result.result).toBe('succeeded')
  expect(stepsOf(other)).toContain('refresh a')
  expect(kept(other)).toEqual(['a'])
  now.region = 'two'
  const ran = await engine.run(program, { ...byProgram, config: config('two') })
  expect(ran.result.result).toBe('succeeded')
  expect(stateOf(ran, 'default').inputs).toMatchObject({ region: 'two' })
})

test('TestRefreshWithBigProgram: more resources than may be read at once', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const names = Array.from({ length: 9 }, (_, at) => `a${at}`)
  const program: Program = async monitor => {
    await Promise.all(names.map(name => thing(monitor, name, { v: 1 })))
  }
  await engine.run(program)
  for (const name of names) cloud.objects.set(`${name}-1`, { v: 2 })
  const ran = await engine.run(program, { ...byProgram, parallel: 2 })
  expect(ran.result.result).toBe('succeeded')
  expect(namesBy(ran, 'refresh')).toEqual(names)
  for (const name of names) expect(stateOf(ran, name).outputs).toEqual({ v: 2 })
})

test('TestRefreshWithAlias: it is read under its new type', async () => {
  const cloud = createCloud()
  const reads: ReadRequest[] = []
  const script = {
    ...cloud.script,
    read: (ask: never) => {
      reads.push(ask)
      return cloud.script.read?.(ask)
    },
  }
  const engine = await engines.of({ ...cloud, script })
  await engine.run(things({ a: { v: 1 } }))
  const spec = { name: '', type: 'test:index:Thing', stack: '', project: '', parent: undefined }
  const ran = await engine.run(async monitor => {
    const aliases = [{ alias: { $case: 'spec' as const, value: spec } }]
    const type = 'test:index:Other'
    await monitor.register({ type, name: 'a', custom: true, object: { v: 2 }, aliases })
  }, byProgram)
  expect(ran.result.result).toBe('succeeded')
  const [read] = reads
  expect([read?.type, read?.urn, read?.id]).toEqual([
    'test:index:Other',
    'urn:pulumi:dev::life::test:index:Other::a',
    'a-1',
  ])
  expect(stateOf(ran, 'a')).toMatchObject({
    urn: 'urn:pulumi:dev::life::test:index:Other::a',
    inputs: { v: 1 },
  })
})

test('TestRefreshRunProgramDeletedResource, TestRefreshRunProgramReplacedResource: an update goes on from what was read', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(things({ gone: { v: 1 }, moved: { replace: 1 }, same: { v: 1 } }))
  cloud.objects.delete('gone-1')
  cloud.objects.set('same-1', { v: 2 })
  const wanted = { gone: { v: 1 }, moved: { replace: 2 }, same: { v: 2 } }
  const ran = await engine.run(things(wanted), first)
  expect(ran.result.result).toBe('succeeded')
  expect(stepsOf(ran)).toEqual([
    ...['refresh gone', 'create gone', 'refresh moved', 'create-replacement moved'],
    ...['replace moved', 'refresh same', 'same same', 'delete-replaced moved'],
  ])
  expect(ran.result.changes).toEqual({ create: 1, replace: 1, same: 2 })
  expect(stateOf(ran, 'gone').id).toBe('gone-2')
  expect(stateOf(ran, 'moved').id).toBe('moved-2')
  expect(stateOf(ran, 'same').outputs).toEqual({ v: 2 })
  expect([...cloud.objects.keys()].sort()).toEqual(['gone-2', 'moved-2', 'same-1'])
})

test('TestRefreshRunProgramDBRReplacedResource: what is deleted first goes as it was read, and its dependents are not read', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program =
    (v: number): Program =>
    async monitor => {
      const root = await thing(monitor, 'root', { replace: v }, deleteFirst)
      await thing(monitor, 'below', { replace: root.id }, upon(root.urn))
    }
  await engine.run(program(1))
  const ran = await engine.run(program(2), first)
  expect(ran.result.result).toBe('succeeded')
  expect(stateOf(ran, 'root').id).toBe('root-2')
  expect(stateOf(ran, 'below').id).toBe('below-2')
  expect(kept(ran)).toEqual(['below', 'root'])
  expect(cloud.log.slice(2)).toEqual([
    ...['delete below-1', 'delete root-1', 'create root', 'create below'],
  ])
})

test('an update that runs its program for a refresh deletes what is not registered without reading it', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(things({ a: { v: 1 }, b: { v: 1 } }))
  const ran = await engine.run(things({ a: { v: 1 } }), first)
  expect(stepsOf(ran)).toEqual(['refresh a', 'same a', 'delete b'])
  expect(cloud.log.at(-1)).toBe('delete b-1')
})

test('a provider that changes with a refresh by the program replaces nothing, as in the original', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program =
    (name: string): Program =>
    async monitor => {
      const type = 'pulumi:providers:test'
      const p = await monitor.register({ type, name, custom: true, object: {} })
      await thing(monitor, 'a', { v: 1 }, { provider: `${p.urn}::${p.id}` })
    }
  await engine.run(program('one'))
  const ran = await engine.run(program('two'), first)
  expect(ran.result.result).toBe('succeeded')
  expect(namesBy(ran, 'same')).toEqual(['a'])
  expect(stateOf(ran, 'a').provider).toContain('::two::')
  expect(cloud.log).toEqual(['create a'])
})

test('without --refresh nothing is read, not even what its provider wants read before an update', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(things({ a: { v: 1 } }))
  await editedResources(engine, resource => [
    resource.urn.endsWith('::a') ? { ...resource, refreshBeforeUpdate: true } : resource,
  ])
  const ran = await engine.run(things({ a: { v: 2 } }), { runProgram: true })
  expect(stepsOf(ran)).toEqual(['update a'])
  expect(errorsOf(ran)).toEqual([])
})
