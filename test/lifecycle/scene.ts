import type { Program, TestRun } from './engine.ts'
import { registerThing } from './register-thing.ts'
import { targetUrnOf } from './target/run-summary.ts'
import { ProcessKilledError, type KillPoint } from './test-process.ts'
import { type TestSetup, resumeOrRun, type ResumeScenario, scenarios } from './resume.ts'

/**
 * A scene of the crash suite. Its processes cause effects that are rows of the table in
 * shared/records/order-of-effects.ts.
 */
export interface Scene {
  readonly name: string
  /** Program of the stack before the scene; if absent, `firstProgram`. */
  readonly initialProgram?: Program
  /** Duration of each mutating provider call, in ms. If absent: 0. */
  readonly delayMs?: number
  /** Runs the scene. `kill` applies to its last process. Throws `ProcessKilledError` for a kill. */
  readonly run: (setup: TestSetup, kill: KillPoint | undefined) => Promise<unknown>
  /** Recovers from a crash as users or other processes do. */
  readonly recover: (setup: TestSetup) => Promise<TestRun>
}

/** Awaits a run that must be killed. */
export async function awaitKill(run: Promise<unknown>): Promise<void> {
  const end = await run.then(
    () => undefined,
    thrown => thrown as unknown,
  )
  if (!(end instanceof ProcessKilledError)) throw end ?? new Error('the run was not killed')
}

/**
 * Resumes the deployment. If it neither succeeds nor leaves a pending operation, runs the command
 * once more.
 */
export async function runUntilDone(
  setup: TestSetup,
  { program, options }: Pick<ResumeScenario, 'program' | 'options'>,
): Promise<TestRun> {
  setup.cloud.faults.clear()
  const testRun = await resumeOrRun(setup, program, options)
  if (testRun.result.result === 'succeeded' || (testRun.state.pending_operations ?? []).length > 0)
    return testRun
  return setup.engine.run(program, options)
}

/** Returns the scene of a plain command. */
function createPlain(scenario: ResumeScenario, overrides: Partial<Scene> = {}): Scene {
  const { program, options, name } = scenario
  return {
    name,
    run: ({ engine }, kill) => engine.run(program, { ...options, kill }),
    recover: setup => runUntilDone(setup, scenario),
    ...overrides,
  }
}

/** Returns the scene of a command whose process died once and that was then resumed or closed. */
function createResumed(
  scenario: ResumeScenario,
  earlierKill: KillPoint,
  variant: { readonly before?: Program; readonly isClosed?: boolean } = {},
): Scene {
  const { program, options, name } = scenario
  const { isClosed = false, ...overrides } = variant
  return {
    name: `${name} that died and is ${isClosed ? 'closed' : 'resumed'}`,
    async run({ engine }, kill) {
      await awaitKill(engine.run(program, { ...options, kill: earlierKill }))
      return engine.run(program, { ...options, resume: !isClosed, kill })
    },
    recover: setup => runUntilDone(setup, scenario),
    ...overrides,
  }
}

const [up, upWithRefresh, , destroyed] = scenarios as [
  ResumeScenario,
  ResumeScenario,
  ResumeScenario,
  ResumeScenario,
]
const inWaves: ResumeScenario = {
  name: 'destroy in waves',
  program: undefined,
  options: { command: 'destroy', release: 'antichain' },
}

/**
 * Registers resources of `firstProgram`. The target `changed` now also depends on `kept`, which the
 * running deployment adds to its claim.
 */
const targetedProgram: Program = async monitor => {
  const a = await registerThing(monitor, 'a', { v: 1 })
  const kept = await registerThing(monitor, 'kept', { v: 1 })
  await registerThing(monitor, 'changed', { v: 2 }, { dependencies: [a.urn, kept.urn] })
}
const targeted: ResumeScenario = {
  name: 'up with a target',
  program: targetedProgram,
  options: { targeting: { targets: [targetUrnOf('changed')] } },
}

/**
 * Registers one resource that depends on two others. In a destroy, the first wave is one delete,
 * with a barrier behind it.
 */
export const wideProgram: Program = async monitor => {
  const register = (name: string, dependencies: string[]) =>
    monitor.register({
      type: 'test:index:Thing',
      name,
      custom: true,
      object: { v: 1 },
      dependencies,
    })
  const bases = await Promise.all(['b1', 'b2'].map(name => register(name, [])))
  await register(
    'c',
    bases.map(({ urn }) => urn),
  )
}

const killAfterFirst = { effect: 1, when: 'after' } as const

/** Commands on a stack of `firstProgram` or `wideProgram`. */
export const plainScenes = {
  up: createPlain(up),
  targeted: createPlain(targeted),
  refreshed: createPlain(upWithRefresh),
  destroyed: createPlain(destroyed),
  waves: createPlain(inWaves, { initialProgram: wideProgram }),
  resumed: createResumed(up, { ...killAfterFirst, call: 'provider.update' }),
  endFound: createResumed(up, { ...killAfterFirst, row: { list: 'runOperation', row: 3 } }),
  closed: createResumed(
    up,
    { ...killAfterFirst, when: 'before', call: 'provider.create' },
    { isClosed: true },
  ),
  wavesResumed: createResumed(
    inWaves,
    { ...killAfterFirst, row: { list: 'runOperation', row: 4 } },
    { before: wideProgram },
  ),
} as const satisfies Record<string, Scene>

export { up as upScenario, inWaves as wavesScenario }
