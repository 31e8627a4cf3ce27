import type { Program, Ran } from './engine.ts'
import { Killed, type Killing } from './process.ts'
import { type Place, resumeOrRun, type Scenario, scenarios } from './resume.ts'

/**
 * Something in which handlers reach rows of the table, and what is done when a process died in it.
 */
export interface Scene {
  readonly name: string
  /** What the stack is before it; `first` where it is absent. */
  readonly before?: Program
  /** How long each call of the cloud takes. */
  readonly delayMs?: number
  /** Throws `Killed` when it was. */
  readonly act: (place: Place, kill: Killing | undefined) => Promise<unknown>
  /** What people or other processes do then. */
  readonly goOn: (place: Place) => Promise<Ran>
  /** Which of the effects that may be a row is meant; the first where it is absent. */
  readonly nth?: ReadonlyMap<string, number>
}

/** Awaits a run that is to die. */
export async function killedOf(run: Promise<unknown>): Promise<void> {
  const end = await run.then(
    () => undefined,
    thrown => thrown as unknown,
  )
  if (!(end instanceof Killed)) throw end ?? new Error('it was not killed')
}

/** Goes on with what was left until it succeeds or a person must say something. */
export async function toTheEnd(
  place: Place,
  { program, asked }: Pick<Scenario, 'program' | 'asked'>,
): Promise<Ran> {
  place.cloud.faults.clear()
  const ran = await resumeOrRun(place, program, asked)
  if (ran.result.result === 'succeeded' || (ran.state.pending_operations ?? []).length > 0)
    return ran
  return place.engine.run(program, asked)
}

/** A command, as it is. */
function plain(scenario: Scenario, more: Partial<Scene> = {}): Scene {
  const { program, asked, name } = scenario
  return {
    name,
    act: ({ engine }, kill) => engine.run(program, { ...asked, kill }),
    goOn: place => toTheEnd(place, scenario),
    ...more,
  }
}

/** A command that died once, and was resumed or closed. */
function after(
  scenario: Scenario,
  earlier: Killing,
  how: { readonly before?: Program; readonly isClosed?: boolean } = {},
): Scene {
  const { program, asked, name } = scenario
  const { isClosed = false, ...more } = how
  return {
    name: `${name} that died and is ${isClosed ? 'closed' : 'resumed'}`,
    async act({ engine }, kill) {
      await killedOf(engine.run(program, { ...asked, kill: earlier }))
      return engine.run(program, { ...asked, resume: !isClosed, kill })
    },
    goOn: place => toTheEnd(place, scenario),
    ...more,
  }
}

const [up, refreshed, , destroyed] = scenarios as [Scenario, Scenario, Scenario, Scenario]
const inWaves: Scenario = {
  name: 'destroy wave by wave',
  program: undefined,
  asked: { command: 'destroy', release: 'antichain' },
}

/** One thing upon two others: the first wave is one delete, and a barrier is behind it. */
export const wide: Program = async monitor => {
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

/** Commands over a stack that `first` made, or `wide`. */
export const plainScenes = {
  up: plain(up),
  refreshed: plain(refreshed),
  destroyed: plain(destroyed),
  waves: plain(inWaves, { before: wide }),
  resumed: after(up, { ...dead, call: 'provider.update' }),
  endFound: after(up, { ...dead, row: { list: 'operate', row: 3 } }),
  closed: after(up, { ...dead, when: 'before', call: 'provider.create' }, { isClosed: true }),
  wavesResumed: after(inWaves, { ...dead, row: { list: 'operate', row: 4 } }, { before: wide }),
} as const satisfies Record<string, Scene>

export { up as upScenario, inWaves as wavesScenario }
