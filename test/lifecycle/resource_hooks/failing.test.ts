import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Monitor, Program, TestRun } from '../engine.ts'
import { closeProgramFunctions, openProgramFunctions, withHooks } from '../program-functions.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(async () => {
  closeProgramFunctions()
  await engines.close()
})

const throwNo = (): never => {
  throw new Error('no')
}

/** Returns a program with a thing `a` that has a failing hook, and `b`, which depends on `a`. */
const createFailing =
  (moment: string, v: number, hookOptions: object = {}): Program =>
  async monitor => {
    const refuse = await registerFailingHook(monitor, hookOptions)
    const a = await registerThing(monitor, 'a', { v }, withHooks({ [moment]: [refuse] }))
    await registerThing(monitor, 'b', { v: a.id })
  }

async function registerFailingHook(monitor: Monitor, hookOptions: object = {}): Promise<string> {
  return (await openProgramFunctions(monitor)).registerHook('refuse', throwNo, hookOptions)
}

const textsOf = ({ events }: TestRun, severity: string): readonly string[] =>
  events.flatMap(event =>
    'diagnosticEvent' in event && event.diagnosticEvent.severity === severity
      ? [event.diagnosticEvent.message]
      : [],
  )
const readIds = ({ state }: TestRun): readonly unknown[] =>
  (state.resources ?? []).flatMap(({ type, id }) => (type === 'test:index:Thing' ? [id] : []))

test('TestResourceHookBeforeUpdateError: if a before hook fails, the update fails without a provider call', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  const testRun = await engine.run(createFailing('beforeUpdate', 2))
  expect(testRun.result.result).toBe('failed')
  expect(cloud.mutatingCalls).toEqual(['create a'])
  expect(textsOf(testRun, 'error')).toContain('before hook "refuse" failed: no')
  const a = testRun.state.resources?.find(({ urn }) => urn.endsWith('::a'))
  expect(a).toMatchObject({ inputs: { v: 1 } })
})

test('TestResourceHookBeforeDeleteError, TestResourceHookAfterDeleteError: a failed before hook prevents the delete; a failed after hook fails the run after the delete', async () => {
  for (const [moment, log, remainingIds] of [
    ['beforeDelete', [], ['a-1']],
    ['afterDelete', ['delete a-1'], []],
  ] as const) {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(async monitor => {
      await registerThing(
        monitor,
        'a',
        { v: 1 },
        withHooks({ [moment]: [await registerFailingHook(monitor)] }),
      )
    })
    const testRun = await engine.run(async monitor => void (await registerFailingHook(monitor)))
    expect(testRun.result.result).toBe('failed')
    expect(cloud.mutatingCalls.slice(1)).toEqual(log)
    expect(readIds(testRun)).toEqual(remainingIds)
    const when = moment === 'beforeDelete' ? 'before' : 'after'
    expect(textsOf(testRun, 'error')).toContain(`${when} hook "refuse" failed: no`)
  }
})

test('TestResourceHookAfterCreateError, TestResourceHookAfterCreateErrorFailsFast: if an after hook fails, the created resource stays, and no further step runs', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const testRun = await engine.run(createFailing('afterCreate', 1))
  expect(testRun.result.result).toBe('failed')
  expect(readIds(testRun)).toEqual(['a-1'])
  expect(cloud.mutatingCalls).toEqual(['create a'])
  expect(textsOf(testRun, 'error')).toContain('after hook "refuse" failed: no')
})

test('TestResourceHookAfterCreateErrorContinueOnError: with --continue-on-error, the other resources are created after a failed hook, and the run fails', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const testRun = await engine.run(createFailing('afterCreate', 1), { continueOnError: true })
  expect(testRun.result.result).toBe('failed')
  expect(cloud.mutatingCalls).toEqual(['create a', 'create b'])
})

test('TestResourceHookAfterCreateErrorIgnoreErrors, TestResourceHookBeforeCreateErrorIgnoreErrors: the failure of a hook that ignores errors is only a warning', async () => {
  for (const moment of ['afterCreate', 'beforeCreate']) {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    const testRun = await engine.run(createFailing(moment, 1, { ignoreErrors: true }))
    expect(testRun.result.result).toBe('succeeded')
    expect(cloud.mutatingCalls).toEqual(['create a', 'create b'])
    const name = moment === 'afterCreate' ? 'AfterCreate' : 'BeforeCreate'
    expect(textsOf(testRun, 'warning')).toContain(`${name} hook "refuse" failed: no`)
  }
})

test('an unregistered hook fails the step, and a duplicate name is refused', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const testRun = await engine.run(monitor =>
    registerThing(monitor, 'a', { v: 1 }, withHooks({ beforeCreate: ['nobody'] })).then(
      () => undefined,
    ),
  )
  expect(textsOf(testRun, 'error')).toContain('hook "nobody" was not registered')
  let failure = ''
  await engine.run(async monitor => {
    const functions = await openProgramFunctions(monitor)
    await functions.registerHook('one', () => undefined)
    failure = await functions.registerErrorHook('one', () => true).catch(String)
  })
  expect(failure).toContain('resource hook already registered for name "one"')
})

test('a delete whose hook still runs is not called if the hook of another delete fails', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const stopped = Promise.withResolvers<void>()
  const createBoth =
    (waitsForStop: boolean): Program =>
    async monitor => {
      const late = await (await openProgramFunctions(monitor)).registerHook('late', () =>
        waitsForStop ? stopped.promise : undefined,
      )
      const refuse = await registerFailingHook(monitor)
      await registerThing(monitor, 'a', { v: 1 }, withHooks({ beforeDelete: [refuse] }))
      await registerThing(monitor, 'b', { v: 1 }, withHooks({ beforeDelete: [late] }))
    }
  await engine.run(createBoth(false))
  // The stop is durable long before the other hook returns.
  setTimeout(() => stopped.resolve(), 1_500)
  const testRun = await engine.run(createBoth(true), { command: 'destroy', runProgram: true })
  expect(testRun.result.result).toBe('failed')
  expect(cloud.mutatingCalls).toEqual(['create a', 'create b'])
  expect(new Set(readIds(testRun))).toEqual(new Set(['a-1', 'b-1']))
})
