import { afterEach, expect, test } from 'vitest'
import {
  type CreateRequest,
  CreateResponse,
  type UpdateRequest,
  UpdateResponse,
} from '../../../proto/gen/pulumi/provider.ts'
import type { ErrorHookRequest } from '../../../proto/gen/pulumi/resource.ts'
import { createInitFailure } from '../../../shared/providers/pulumi/scripted-server.fixture.ts'
import { type Cloud, createCloud } from '../cloud.ts'
import type { Program, TestRun } from '../engine.ts'
import { closeProgramFunctions, openProgramFunctions, withHooks } from '../program-functions.ts'
import { createEngines, registerThing } from '../register-thing.ts'
import { statesOf, stepsOf } from '../run-events.ts'
import {
  createViewingProvider,
  createViewState,
  createViewStep,
  Op,
  publishViewSteps,
} from '../views/viewing-provider.ts'

const engines = createEngines()
afterEach(async () => {
  closeProgramFunctions()
  await engines.close()
})

/** A cloud in which each create fails partially, with the updates that it received. */
interface PartialCloud {
  readonly cloud: Cloud
  readonly updates: UpdateRequest[]
}

/** Creates a cloud with one result for each update: fails, fails partially, or succeeds. */
function createPartialCloud(results: readonly ('fails' | 'partial' | 'succeeds')[]): PartialCloud {
  const cloud = createCloud()
  const updates: UpdateRequest[] = []
  const create = (request: CreateRequest): CreateResponse => {
    if (request.preview) return CreateResponse.create({})
    cloud.mutatingCalls.push(`create ${request.name}`)
    const id = `${request.name}-${cloud.mutatingCalls.length}`
    throw createInitFailure({ id, properties: { out: 'partial' }, reasons: ['not ready'] })
  }
  const update = (request: UpdateRequest): UpdateResponse => {
    updates.push(request)
    const result = results[updates.length - 1]
    if (result === 'fails') throw new Error('the update was refused')
    const properties = { out: `update ${updates.length}` }
    if (result === 'succeeds') return UpdateResponse.create({ properties })
    throw createInitFailure({ id: request.id, properties, reasons: ['still not ready'] })
  }
  return { cloud: { ...cloud, script: { ...cloud.script, create, update } }, updates }
}

/** Returns a program of one thing with an error hook, and the requests that the hook received. */
function createProgram(
  inputs: object,
  mustRetry: (hookRequest: ErrorHookRequest) => boolean,
): { readonly program: Program; readonly hookRequests: ErrorHookRequest[] } {
  const hookRequests: ErrorHookRequest[] = []
  const program: Program = async monitor => {
    const functions = await openProgramFunctions(monitor)
    const hook = await functions.registerErrorHook('again', hookRequest => {
      hookRequests.push(hookRequest)
      return mustRetry(hookRequest)
    })
    const customTimeouts = { create: '3s', update: '5s', delete: '' }
    const options = { ...withHooks({ onError: [hook] }), customTimeouts, ignoreChanges: ['v'] }
    await registerThing(monitor, 'a', { ...inputs }, options)
  }
  return { program, hookRequests }
}

const readThings = (testRun: TestRun): readonly object[] => statesOf(testRun, 'a')

test('the retry of a partially failed create updates its object', async () => {
  const { cloud, updates } = createPartialCloud(['succeeds'])
  const engine = await engines.open(cloud)
  const { program, hookRequests } = createProgram({ v: 1 }, () => true)
  const testRun = await engine.run(program)
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['create a'])
  expect(hookRequests).toMatchObject([
    { failedOperation: 'create', oldOptions: undefined, oldInputs: undefined, id: '' },
  ])
  expect(updates).toMatchObject([
    { id: 'a-1', olds: { out: 'partial' }, oldInputs: { v: 1 }, news: { v: 1 }, timeout: 3 },
  ])
  expect(updates[0]?.ignoreChanges).toEqual([])
  expect(stepsOf(testRun)).toEqual(['create a'])
  expect(readThings(testRun)).toMatchObject([{ id: 'a-1', outputs: { out: 'update 1' } }])
  expect(readThings(testRun)[0]).not.toHaveProperty('initErrors')
})

test('each retry updates the object, from the newest outputs that are known', async () => {
  const { cloud, updates } = createPartialCloud(['partial', 'fails', 'succeeds'])
  const engine = await engines.open(cloud)
  const testRun = await engine.run(createProgram({ v: 1 }, () => true).program)
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['create a'])
  expect(updates.map(({ id, olds }) => [id, olds])).toEqual([
    ['a-1', { out: 'partial' }],
    ['a-1', { out: 'update 1' }],
    ['a-1', { out: 'update 1' }],
  ])
  expect(readThings(testRun)).toMatchObject([{ id: 'a-1', outputs: { out: 'update 3' } }])
})

test('an object whose completion fails stays in the state, and the next deployment updates it', async () => {
  const { cloud, updates } = createPartialCloud(['fails', 'succeeds'])
  const engine = await engines.open(cloud)
  const retryOnce = createProgram({ v: 1 }, ({ errors }) => errors.length < 2)
  const failedRun = await engine.run(retryOnce.program)
  expect(failedRun.result.result).toBe('failed')
  expect(readThings(failedRun)).toMatchObject([{ id: 'a-1', initErrors: ['not ready'] }])
  const testRun = await engine.run(createProgram({ v: 1 }, () => false).program)
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['create a'])
  expect(updates[1]).toMatchObject({ id: 'a-1', timeout: 5, ignoreChanges: ['v'] })
  expect(readThings(testRun)).toMatchObject([{ id: 'a-1', outputs: { out: 'update 2' } }])
})

test('a partially created replacement is completed, and the replaced object is deleted', async () => {
  const { cloud } = createPartialCloud(['succeeds', 'succeeds'])
  const engine = await engines.open(cloud)
  await engine.run(createProgram({ replace: 1 }, () => true).program)
  const testRun = await engine.run(createProgram({ replace: 2 }, () => true).program)
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['create a', 'create a', 'delete a-1'])
  expect(readThings(testRun)).toMatchObject([{ id: 'a-2', outputs: { out: 'update 2' } }])
})

/** Reports the view of the thing as created, as a provider that creates its parts anew. */
const reportCreatedView = ({ name }: { readonly name: string }) => [
  createViewStep(Op.CREATE, { new: createViewState(name, 1) }),
]

test('a view that create and completion report is in the state once', async () => {
  const { cloud } = createPartialCloud(['succeeds'])
  const { script } = createViewingProvider(cloud, { update: reportCreatedView })
  const createWithView = async (request: CreateRequest): Promise<CreateResponse> => {
    if (!request.preview) await publishViewSteps(request, reportCreatedView(request))
    return cloud.script.create?.(request as never) as CreateResponse
  }
  const engine = await engines.open({ ...cloud, script: { ...script, create: createWithView } })
  const testRun = await engine.run(createProgram({ v: 1 }, () => true).program)
  expect(testRun.result.result).toBe('succeeded')
  expect(statesOf(testRun, 'a-child')).toMatchObject([{ outputs: { result: 1 } }])
})

test('the view of a completed replacement marks the replaced view as deleted', async () => {
  const { cloud } = createPartialCloud(['succeeds', 'succeeds'])
  const { script } = createViewingProvider(cloud, { update: reportCreatedView })
  const engine = await engines.open({ ...cloud, script })
  await engine.run(createProgram({ replace: 1 }, () => true).program)
  cloud.faults.add('delete a-1')
  const testRun = await engine.run(
    createProgram({ replace: 2 }, ({ failedOperation }) => failedOperation === 'create').program,
  )
  expect(testRun.result.result).toBe('failed')
  const states = statesOf(testRun, 'a-child')
  expect(states).toHaveLength(2)
  expect(states.filter(state => state['delete'] === true)).toHaveLength(1)
})
