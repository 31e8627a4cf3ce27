import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Monitor, Program, TestRun } from '../engine.ts'
import { closeProgramFunctions } from '../program-functions.ts'
import { createEngines, deleteFirst, registerThing, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(async () => {
  closeProgramFunctions()
  await engines.close()
})

const destroy = { command: 'destroy', runProgram: true } as const
const registerGroup = (monitor: Monitor, name: string, more: object = {}) =>
  monitor.register({ type: 'test:index:Group', name, object: { v: 1 }, ...more })
const readNames = ({ state }: TestRun): readonly string[] =>
  (state.resources ?? []).map(({ urn }) => urn.split('::').at(-1) ?? '')

test('TestDestroyWithProgram: all resources are deleted, and none is created', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const replies: unknown[] = []
  const program =
    (names: readonly string[]): Program =>
    async monitor => {
      for (const name of names) {
        const { id, unknown, object } = await registerThing(monitor, name, { v: 2 })
        replies.push([name, id, unknown, object])
      }
      await monitor.registerOutputs(monitor.stack, { x: 1 })
    }
  await engine.run(createThings({ a: { v: 1 }, gone: { v: 1 } }))
  const testRun = await engine.run(program(['a', 'new']), destroy)
  expect(testRun.result.result).toBe('succeeded')
  expect(readNames(testRun)).toEqual([])
  expect(cloud.objects.size).toBe(0)
  expect(cloud.mutatingCalls.slice(2).toSorted()).toEqual(['delete a-1', 'delete gone-1'])
  // An existing resource is returned unchanged, whatever the program requests. A missing one is
  // unknown.
  expect(replies).toEqual([
    ['a', 'a-1', false, { v: 1 }],
    ['new', '', true, {}],
  ])
})

test('TestDestroyWithProgramWithComponents, TestDestroyWithProgramWithSkippedComponents: components are deleted, and one that needs a skipped resource is not created', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (names: readonly string[]): Program =>
    async monitor => {
      const g = await registerGroup(monitor, 'g')
      for (const name of names) {
        const resource = await registerThing(monitor, name, { v: 1 }, { parent: g.urn })
        const inner = await registerGroup(monitor, `of-${name}`, {
          parent: g.urn,
          dependencies: [resource.urn],
        })
        await monitor.registerOutputs(inner.urn, { o: 1 })
      }
      await monitor.registerOutputs(g.urn, { o: 1 })
    }
  await engine.run(program(['a']))
  const testRun = await engine.run(program(['a', 'new']), destroy)
  expect(testRun.result.result).toBe('succeeded')
  expect(readNames(testRun)).toEqual([])
  expect(cloud.mutatingCalls).toEqual(['create a', 'delete a-1'])
  const created = testRun.events.flatMap(event =>
    'resourcePreEvent' in event && event.resourcePreEvent.metadata.op === 'create'
      ? [event.resourcePreEvent.metadata.urn]
      : [],
  )
  expect(created).toEqual([])
})

test('TestExplicitProviderUpdateDestroyWithProgram, TestProviderUpdateDestroyWithProgram: a provider that the program changes is updated, and its resources are deleted', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (region: string): Program =>
    async monitor => {
      const provider = await monitor.register({
        type: 'pulumi:providers:test',
        name: 'p',
        custom: true,
        object: { region },
      })
      await registerThing(monitor, 'a', { v: 1 }, { provider: `${provider.urn}::${provider.id}` })
    }
  await engine.run(program('one'))
  const testRun = await engine.run(program('two'), destroy)
  expect(testRun.result.result).toBe('succeeded')
  expect(readNames(testRun)).toEqual([])
  const updates = testRun.events.flatMap(event =>
    'resOutputsEvent' in event && event.resOutputsEvent.metadata.op === 'update'
      ? [event.resOutputsEvent.metadata.urn]
      : [],
  )
  expect(updates).toEqual(['urn:pulumi:dev::life::pulumi:providers:test::p'])
})

test('TestDestroyWithProgramWithSkippedAlias: a renamed resource is deleted once', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ old: { v: 1 } }))
  const testRun = await engine.run(async monitor => {
    const spec = { name: 'old', type: '', stack: '', project: '', parent: undefined }
    const aliases = [{ alias: { $case: 'spec', value: spec } }]
    await registerThing(monitor, 'new', { v: 1 }, { aliases })
  }, destroy)
  expect(testRun.result.result).toBe('succeeded')
  expect(readNames(testRun)).toEqual([])
  expect(cloud.mutatingCalls).toEqual(['create old', 'delete old-1'])
})

test('TestDestroyWithProgramResourceRead: a resource that was only read is no longer in the state', async () => {
  const cloud = createCloud()
  cloud.objects.set('there-1', { v: 1 })
  const engine = await engines.open(cloud)
  const program: Program = async monitor => {
    await monitor.read('outside', 'there-1')
  }
  await engine.run(program)
  const testRun = await engine.run(program, destroy)
  expect(testRun.result.result).toBe('succeeded')
  expect(readNames(testRun)).toEqual([])
  expect([...cloud.objects.keys()]).toEqual(['there-1'])
})

test('TestDestroyWithProgramProtectedResourceWithProvider: a protected resource is kept with its provider', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program: Program = async monitor => {
    await registerThing(monitor, 'a', { v: 1 }, { protect: true })
    await registerThing(monitor, 'b', { v: 1 })
  }
  await engine.run(program)
  const testRun = await engine.run(program, destroy)
  expect(testRun.result.result).toBe('failed')
  expect([...cloud.objects.keys()]).toEqual(['a-1'])
  expect(readNames(testRun)).toEqual(expect.arrayContaining(['a', 'default']))
  expect(readNames(testRun)).not.toContain('b')
})

test('the preview of a destroy with the program changes nothing and reports the deletes', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  const testRun = await engine.run(createThings({ a: { v: 1 }, new: { v: 1 } }), {
    ...destroy,
    dryRun: true,
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(testRun.result.changes).toMatchObject({ delete: 2 })
  expect(cloud.mutatingCalls).toEqual(['create a'])
})

test('a resource that was deleted for a replacement is not deleted again', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (replace: number): Program =>
    async monitor =>
      void (await registerThing(monitor, 'a', { replace }, deleteFirst))
  await engine.run(program(1))
  cloud.faults.add('create a')
  expect((await engine.run(program(2))).result.result).toBe('failed')
  const testRun = await engine.run(program(2), destroy)
  expect(testRun.result.result).toBe('succeeded')
  expect(readNames(testRun)).toEqual([])
  expect(cloud.mutatingCalls.filter(line => line === 'delete a-1')).toHaveLength(1)
})

test('a recorded dependent is deleted first, even if the program no longer has the dependency', async () => {
  const cloud = createCloud(50)
  const engine = await engines.open(cloud)
  const program =
    (hasDependency: boolean): Program =>
    async monitor => {
      const { urn } = await registerThing(monitor, 'a', { v: 1 })
      await registerThing(monitor, 'b', { v: 1 }, hasDependency ? { dependencies: [urn] } : {})
    }
  await engine.run(program(true))
  cloud.faults.add('delete b-1')
  const testRun = await engine.run(program(false), destroy)
  expect(testRun.result.result).toBe('failed')
  expect(cloud.mutatingCalls).not.toContain('delete a-1')
  expect(readNames(testRun)).toEqual(expect.arrayContaining(['a', 'b']))
})
