import type { Program, TestRun } from './engine.ts'
import { Killed, type KillPoint } from './test-process.ts'
import { type TestPlace, resumeOrRun, type ResumeScenario, scenarios } from './resume.ts'

/** A scene in which handlers reach rows of the table, with the recovery after a crash in it. */
export interface Scene {
  readonly name: string
  /** Program of the stack before the scene; if absent, `firstProgram`. */
  readonly before?: Program
  /** Duration of each provider call. */
  readonly delayMs?: number
  /** Throws `Killed` when the process was killed. */
  readonly act: (place: TestPlace, kill: KillPoint | undefined) => Promise<unknown>
  /** Recovers as users or other processes do. */
  readonly recover: (place: TestPlace) => Promise<TestRun>
  /** Which of the effects that match a row is meant; if absent, the first. */
  readonly nth?: ReadonlyMap<string, number>
}

/** Awaits a run that must be killed. */
export async function awaitKill(run: Promise<unknown>): Promise<void> {
  const end = await run.then(
    () => undefined,
    thrown => thrown as unknown,
  )
  if (!(end instanceof Killed)) throw end ?? new Error('the run was not killed')
}

/** Resumes the deployment until it succeeds or only a user can settle the rest. */
export async function runUntilDone(
  place: TestPlace,
  { program, options }: Pick<ResumeScenario, 'program' | 'options'>,
): Promise<TestRun> {
  place.cloud.faults.clear()
  const ran = await resumeOrRun(place, program, options)
  if (ran.result.result === 'succeeded' || (ran.state.pending_operations ?? []).length > 0)
    return ran
  return place.engine.run(program, options)
}

/** Returns the scene of a plain command. */
function createPlain(scenario: ResumeScenario, more: Partial<Scene> = {}): Scene {
  const { program, options, name } = scenario
  return {
    name,
    act: ({ engine }, kill) => engine.run(program, { ...options, kill }),
    recover: place => runUntilDone(place, scenario),
    ...more,
  }
}

/** Returns the scene of a command that died once and was resumed or closed. */
function createResumed(
  scenario: ResumeScenario,
  earlier: KillPoint,
  how: { readonly before?: Program; readonly isClosed?: boolean } = {},
): Scene {
  const { program, options, name } = scenario
  const { isClosed = false, ...more } = how
  return {
    name: `${name} that died and is ${isClosed ? 'closed' : 'resumed'}`,
    async act({ engine }, kill) {
      await awaitKill(engine.run(program, { ...options, kill: earlier }))
      return engine.run(program, { ...options, resume: !isClosed, kill })
    },
    recover: place => runUntilDone(place, scenario),
    ...more,
  }
}

const [up, refreshed, , destroyed] = scenarios as [
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

/** One thing that depends on two others: the first wave is one delete, with a barrier behind it. */
export const wideProgram: Program = async monitor => {
  const register = (name: string, dependencies: string[]) =>
    monitor.register({
      type: 'test:index:Thing',
      name,
      custom: true,
      object: { v: 1 },
      dependencies,
    })
  const below = await Promise.all(['b1', 'b2'].map(name => register(name, [])))
  await register(
    'c',
    below.map(({ urn }) => urn),
  )
}

const dead = { effect: 1, when: 'after' } as const

/** Commands on a stack of `firstProgram` or `wideProgram`. */
export const plainScenes = {
  up: createPlain(up),
  refreshed: createPlain(refreshed),
  destroyed: createPlain(destroyed),
  waves: createPlain(inWaves, { before: wideProgram }),
  resumed: createResumed(up, { ...dead, call: 'provider.update' }),
  endFound: createResumed(up, { ...dead, row: { list: 'operate', row: 3 } }),
  closed: createResumed(
    up,
    { ...dead, when: 'before', call: 'provider.create' },
    { isClosed: true },
  ),
  wavesResumed: createResumed(
    inWaves,
    { ...dead, row: { list: 'operate', row: 4 } },
    { before: wideProgram },
  ),
} as const satisfies Record<string, Scene>

export { up as upScenario, inWaves as wavesScenario }
