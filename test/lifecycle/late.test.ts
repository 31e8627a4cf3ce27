import { afterEach, expect, test } from 'vitest'
import type { CreateRequest } from '../../proto/gen/pulumi/provider.ts'
import type { Urn } from '../../shared/names/urn.ts'
import { deploymentIdOf, type OperationId } from '../../shared/records/ids.ts'
import { type Cloud, createCloud } from './cloud.ts'
import type { Program } from './engine.ts'
import { ProcessKilledError } from './test-process.ts'
import { createEngines, deleteFirst, registerThing, createThings } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** A cloud whose create of `slow` is held until the test releases it. */
function createSlowCloud() {
  const cloud = createCloud()
  const reached = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const create = cloud.script.create as (request: CreateRequest) => unknown
  return {
    ...cloud,
    reached: reached.promise,
    release: held.resolve,
    script: {
      ...cloud.script,
      create: async (request: CreateRequest) => {
        if (request.name === 'slow') {
          reached.resolve()
          await held.promise
        }
        return create(request)
      },
    },
  }
}

const program: Program = async monitor => {
  await registerThing(monitor, 'a', { v: 1 })
  await registerThing(monitor, 'slow', { v: 1 })
}

test('a resource that a process created after that process was considered dead is found by the next deployment', async () => {
  const cloud = createSlowCloud()
  const engine = await engines.open(cloud)
  // The first process hangs in a call. The second one considers it dead and closes its deployment.
  const deposed = engine.run(program).catch((thrown: unknown) => thrown)
  await cloud.reached
  const second = await engine.run(createThings({ a: { v: 1 } }))
  expect(second.state.pending_operations?.map(({ resource }) => resource.urn)).toEqual([
    'urn:pulumi:dev::life::test:index:Thing::slow',
  ])
  cloud.release()
  await deposed
  const late = await engine.platform.catalog.listLateOutcomes(second.stack, 10)
  expect(late.map(({ urn, state }) => [urn, state['id']])).toEqual([
    ['urn:pulumi:dev::life::test:index:Thing::slow', 'slow-1'],
  ])
  const third = await engine.run(program)
  expect(third.result).toMatchObject({ result: 'succeeded', pending: [] })
  expect(cloud.mutatingCalls).toEqual(['create a', 'create slow'])
  // The late executor may repeat its write to the inbox after the deployment has taken the outcome.
  for (const item of late) await engine.platform.catalog.putLateOutcome(second.stack, item)
  expect(await engine.platform.catalog.listLateOutcomes(second.stack, 10)).toEqual([])
  const messages = third.events.flatMap(event =>
    'diagnosticEvent' in event ? [event.diagnosticEvent.message] : [],
  )
  expect(messages.join('\n')).toContain("its id is 'slow-1'")
})

/** A cloud whose objects have the names of their resources as ids. The second create is held. */
function createNamedCloud() {
  const cloud = createCloud()
  const reached = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const create = cloud.script.create as (request: CreateRequest) => Promise<object>
  let creates = 0
  const script = {
    ...cloud.script,
    create: async (request: CreateRequest) => {
      creates += 1
      if (creates === 2) {
        reached.resolve()
        await held.promise
      }
      return { ...(await create(request)), id: request.name }
    },
  }
  return { ...cloud, script, reached: reached.promise, release: held.resolve }
}

test('a late replacement takes the place of the resource that was deleted for it, even with the same id', async () => {
  const cloud = createNamedCloud()
  const engine = await engines.open(cloud)
  const createAt =
    (replace: number): Program =>
    async monitor => {
      await registerThing(monitor, 'a', { replace }, deleteFirst)
    }
  await engine.run(createAt(1))
  const deposed = engine.run(createAt(2)).catch((thrown: unknown) => thrown)
  await cloud.reached
  // This run closes the dead deployment and decides nothing.
  const second = await engine.run(() => Promise.reject(new Error('the program fails')))
  expect(second.state.pending_operations).toHaveLength(1)
  cloud.release()
  await deposed
  const third = await engine.run(createAt(2))
  expect(third.result).toMatchObject({ result: 'succeeded', pending: [] })
  expect(third.state.resources?.at(-1)).toMatchObject({ id: 'a', inputs: { replace: 2 } })
  expect(cloud.mutatingCalls).toEqual(['create a', 'delete a', 'create a'])
})

test('a late object whose pending create was cleared is deleted', async () => {
  const cloud = createSlowCloud()
  const engine = await engines.open(cloud)
  const deposed = engine.run(program).catch((thrown: unknown) => thrown)
  await cloud.reached
  const second = await engine.run(createThings({ a: { v: 1 } }), { clearPendingCreates: true })
  expect(second.state.pending_operations).toBeUndefined()
  cloud.release()
  await deposed
  await engine.run(createThings({ a: { v: 1 } }))
  expect([...cloud.objects.keys()]).toEqual(['a-1'])
  expect(cloud.mutatingCalls).toEqual(['create a', 'create slow', 'delete slow-1'])
})

/** Opens an engine with a stack whose inbox names an object that no state contains. */
async function openWithInbox(cloud: Cloud) {
  const engine = await engines.open(cloud)
  const testRun = await engine.run(createThings({ a: { v: 1 } }))
  const lateResource = testRun.state.resources?.find(({ id }) => id === 'a-1')
  if (lateResource === undefined) throw new Error("the state has no resource 'a-1'")
  cloud.objects.set('late-1', { v: 1 })
  await engine.platform.catalog.putLateOutcome(testRun.stack, {
    deployment: deploymentIdOf(testRun.stack, 1),
    operation: 99 as OperationId,
    attempt: 1,
    urn: lateResource.urn as Urn,
    state: { ...lateResource, id: 'late-1' },
  })
  return { engine, stack: testRun.stack }
}

test.for(
  [1, 2, 3, 4, 5, 6, 7].flatMap(effect => [
    { effect, when: 'before' as const },
    { effect, when: 'after' as const },
  ]),
)('a late outcome is taken once when the run is killed $when effect $effect', async kill => {
  const cloud = createCloud()
  const { engine, stack } = await openWithInbox(cloud)
  await engine.run(createThings({ a: { v: 1 } }), { kill }).catch((thrown: unknown) => thrown)
  await engine.run(createThings({ a: { v: 1 } }))
  expect([...cloud.objects.keys()]).toEqual(['a-1'])
  expect(cloud.mutatingCalls).toEqual(['create a', 'delete late-1'])
  expect(await engine.platform.catalog.listLateOutcomes(stack, 10)).toEqual([])
})

test('a late outcome is taken once by a deployment that is resumed', async () => {
  const cloud = createCloud()
  const { engine, stack } = await openWithInbox(cloud)
  const kill = { effect: 1, call: 'decisionLog.append pin', when: 'after' } as const
  const program = createThings({ a: { v: 1 } })
  expect(await engine.run(program, { kill }).catch((thrown: unknown) => thrown)).toBeInstanceOf(
    ProcessKilledError,
  )
  await engine.run(program, { resume: true })
  expect(await engine.platform.catalog.listLateOutcomes(stack, 10)).toEqual([])
  await engine.run(program)
  expect(cloud.mutatingCalls).toEqual(['create a', 'delete late-1'])
})
