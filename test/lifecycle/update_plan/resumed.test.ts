import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program, TestEngine, TestRunOptions } from '../engine.ts'
import { closeProgramFunctions, openProgramFunctions, withHooks } from '../program-functions.ts'
import { createEngines, createThings, registerThing } from '../register-thing.ts'
import { errorsOf } from '../run-events.ts'
import { type KillPoint, ProcessKilledError } from '../test-process.ts'

const engines = createEngines()
afterEach(async () => {
  closeProgramFunctions()
  await engines.close()
})

const beforeBegin = (effect: number): KillPoint => ({
  call: 'operations.begin',
  effect,
  when: 'before',
})

/** Runs a program under its plan, kills the run, and resumes it. Returns the errors of the resume. */
async function resumeUnderPlan(
  engine: TestEngine,
  program: Program,
  { kill, ...options }: TestRunOptions,
): Promise<{ readonly result: string; readonly errors: readonly string[] }> {
  const request = { draftsUpdatePlan: true }
  const preview = await engine.run(program, { ...options, dryRun: true, request })
  const plan = preview.result.updatePlan
  if (plan === undefined) throw new Error(`no plan: ${preview.result.result}`)
  const killedRun = engine.run(program, { ...options, plan, kill })
  await expect(killedRun).rejects.toBeInstanceOf(ProcessKilledError)
  const testRun = await engine.run(program, { ...options, plan, resume: true })
  return { result: testRun.result.result, errors: errorsOf(testRun) }
}

test.each([1, 2, 3, 4])(
  'an update that refreshes as its program runs, and dies before begin %i, is resumed under its plan',
  async effect => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(createThings({ kept: { v: 1 }, replaced: { replace: 1 }, last: { v: 1 } }))
    const program = createThings({ kept: { v: 1 }, replaced: { replace: 2 }, last: { v: 2 } })
    const options = { refresh: true, runProgram: true, kill: beforeBegin(effect) }
    expect(await resumeUnderPlan(engine, program, options)).toEqual({
      result: 'succeeded',
      errors: [],
    })
    expect(cloud.mutatingCalls.slice(3)).toEqual([
      'create replaced',
      'update last-1',
      'delete replaced-1',
    ])
  },
)

test.each([1, 2])(
  'a replacement with hooks that dies before begin %i is resumed under its plan',
  async effect => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    const createProgram =
      (replace: number): Program =>
      async monitor => {
        const functions = await openProgramFunctions(monitor)
        const hook = await functions.registerHook('hook', () => undefined)
        const hooks = withHooks({ beforeCreate: [hook], afterCreate: [hook] })
        await registerThing(monitor, 'a', { replace }, hooks)
      }
    await engine.run(createProgram(1))
    const options = { kill: beforeBegin(effect) }
    expect(await resumeUnderPlan(engine, createProgram(2), options)).toEqual({
      result: 'succeeded',
      errors: [],
    })
    expect(cloud.mutatingCalls).toEqual(['create a', 'create a', 'delete a-1'])
  },
)
