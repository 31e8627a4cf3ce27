import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { trimmedErrorsOf, wireValues } from '../components.ts'
import { ProcessKilledError } from '../test-process.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'
import {
  Op,
  publishViewSteps,
  createViewEngineOpener,
  createViewStep,
  type ViewScript,
  viewEventsOf,
  createViewState,
  readViews,
  toOldState,
  ownerViewScript,
} from './viewing-provider.ts'

const engines = createEngines()
afterEach(() => engines.close())
const openScene = createViewEngineOpener(engines)

test('a replaced owner has the view of its new copy, in both orders of replacement', async () => {
  for (const more of [{}, { deleteBeforeReplace: true, deleteBeforeReplaceDefined: true }]) {
    const { engine, receivedViews: views } = await openScene(ownerViewScript)
    await engine.run(
      async monitor => void (await registerThing(monitor, 'a', { replace: 1, v: 1 }, more)),
    )
    const replaced = await engine.run(
      async monitor => void (await registerThing(monitor, 'a', { replace: 2, v: 2 }, more)),
    )
    expect(replaced.result.result).toBe('succeeded')
    expect(views).toMatchObject([[{ inputs: { input: 1 } }]])
    expect(readViews(replaced)).toMatchObject([{ inputs: { input: 2 } }])
    expect(readViews(replaced)[0]?.delete).toBeUndefined()
  }
})

test('a view whose owner could not be created is not stored', async () => {
  const cloud = createCloud()
  const script = {
    ...cloud.script,
    create: async (request: Parameters<NonNullable<ViewScript['create']>>[0]) => {
      await publishViewSteps(request, [
        createViewStep(Op.CREATE, { new: createViewState(request.name, 1) }),
      ])
      throw new Error('no room')
    },
  }
  const engine = await engines.open({ ...cloud, script })
  const testRun = await engine.run(createThings({ a: {} }))
  expect(testRun.result.result).toBe('failed')
  expect(viewEventsOf(testRun)).toContain('out create a-child')
  expect(readViews(testRun)).toEqual([])
})

test('the views of an owner are deleted with it when its delete reports none', async () => {
  const { engine } = await openScene({
    ...(ownerViewScript.create && { create: ownerViewScript.create }),
  })
  await engine.run(createThings({ a: { v: 1 }, b: { v: 2 } }))
  const testRun = await engine.run(createThings({ b: { v: 2 } }))
  expect(testRun.result.result).toBe('succeeded')
  expect(readViews(testRun)).toMatchObject([{ inputs: { input: 2 } }])
  const kept = await engine.run(
    async monitor => void (await registerThing(monitor, 'b', { v: 2 }, { retainOnDelete: true })),
  )
  expect(readViews(kept)).toHaveLength(1)
  expect(readViews(await engine.run(createThings({})))).toEqual([])
})

test('a delete that reports a failed view fails, and the view stays', async () => {
  const { engine } = await openScene({
    ...ownerViewScript,
    delete: ({ oldViews }) =>
      oldViews.map(old =>
        createViewStep(Op.DELETE, { old: toOldState(old), error: 'still in use' }),
      ),
  })
  await engine.run(createThings({ a: { v: 1 } }))
  const testRun = await engine.run(createThings({}))
  expect(testRun.result.result).toBe('failed')
  expect(trimmedErrorsOf(testRun.events)).toContain('still in use')
  expect(readViews(testRun)).toHaveLength(1)
  expect(testRun.state.pending_operations).toBeUndefined()
})

test('an unknown view and the token of an ended call are refused', async () => {
  const refusals: string[] = []
  const cloud = createCloud()
  let lastRequest: Parameters<typeof publishViewSteps>[0] | undefined
  const script = {
    ...cloud.script,
    create: async (request: Parameters<NonNullable<ViewScript['create']>>[0]) => {
      if (lastRequest !== undefined)
        await publishViewSteps(lastRequest, []).catch(({ details }) => refusals.push(details))
      lastRequest = request
      const steps = [createViewStep(Op.DELETE, { old: createViewState(request.name, 1) })]
      await publishViewSteps(request, steps).catch(({ details }) => refusals.push(details))
      await publishViewSteps(request, [createViewStep(Op.CREATE, {})]).catch(({ details }) =>
        refusals.push(details),
      )
      return cloud.script.create?.(request as never)
    },
  }
  const engine = await engines.open({ ...cloud, script })
  const testRun = await engine.run(createThings({ a: {}, b: {} }))
  expect(testRun.result.result).toBe('succeeded')
  expect(refusals.filter(refusal => refusal.startsWith('token '))).toHaveLength(1)
  expect(refusals[0]).toContain('old resource state')
  expect(refusals[1]).toBe("the step 'create' requires the new state of the view")
})

test('secrets of views are sealed in the state and redacted in events', async () => {
  const { engine } = await openScene({
    create: ({ name }) => [
      createViewStep(Op.CREATE, { new: createViewState(name, wireValues.secret('hush')) }),
    ],
  })
  const testRun = await engine.run(createThings({ a: {} }))
  expect(JSON.stringify(testRun.state)).not.toContain('hush')
  expect(JSON.stringify(testRun.events)).not.toContain('hush')
  expect(JSON.stringify(readViews(testRun))).toContain('ciphertext')
})

const killPoints = [
  { call: 'operations.begin', when: 'after' },
  { call: 'operations.putOutcome', when: 'before' },
  { call: 'operations.putOutcome', when: 'after' },
  { call: 'operations.select', when: 'before' },
  { call: 'operations.select', when: 'after' },
] as const

test('reported views are as durable as the end of their owner', async () => {
  for (const { call, when } of killPoints) {
    const { engine } = await openScene(ownerViewScript)
    await engine.run(createThings({ a: { v: 1 } }))
    const program = createThings({ a: { v: 2 } })
    const killed = engine.run(program, { kill: { effect: 1, call, when } })
    await expect(killed, call).rejects.toBeInstanceOf(ProcessKilledError)
    const testRun = await engine.run(program, { resume: true })
    expect(testRun.result, call).toMatchObject({
      result: 'succeeded',
      changes: { same: 1, update: 2 },
    })
    expect(readViews(testRun)).toMatchObject([{ inputs: { input: 2 }, outputs: { result: 2 } }])
  }
})

test('views that do not fit into one record are stored', async () => {
  const long = 'x'.repeat(5_000)
  const many = Array.from({ length: 100 }, (_, index) =>
    createViewStep(Op.CREATE, { new: createViewState(`v${index}`, long) }),
  )
  const { engine } = await openScene({ create: () => many })
  const testRun = await engine.run(createThings({ a: {} }))
  // The stack, the owner and its 100 views.
  expect(testRun.result.changes).toEqual({ create: 102 })
  expect(readViews(testRun)).toHaveLength(100)
})
