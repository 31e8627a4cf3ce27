import type { SeededDraw } from './draw.ts'
import { drawHooks, drawRefusals, type HooksByName } from './hooks.ts'
import type { HostName } from './node.ts'

/** One resource of a simulated program. */
export interface PlannedThing {
  readonly name: string
  readonly kind: 'thing' | 'component' | 'provider'
  /** A component, or '' for the stack. */
  readonly parent: string
  /** The explicit provider, or '' for the default one. */
  readonly provider: string
  /** Dependencies whose id is an input that can be changed in place. */
  readonly needs: readonly string[]
  /** Dependencies whose id is an input that cannot be changed in place. */
  readonly fixed: readonly string[]
  /** Dependencies without an input. */
  readonly after: readonly string[]
  readonly value: number
  readonly made: number
  readonly deleteFirst: boolean
  readonly isSecret: boolean
  /** Whether an input is the result of a function that differs each time. */
  readonly asks: boolean
  /** Whether the program continues when it fails. */
  readonly catches: boolean
}

/** One command of a scenario. */
export interface ScenarioStep {
  readonly command: 'up' | 'refresh' | 'destroy'
  readonly refresh: boolean
  readonly continueOnError: boolean
  readonly parallel: number
  /** Time limit of each generator and executor, in ms; 0: none. */
  readonly functionLimitMs: number
  /** The executors of its operations: the process of the command, or others. */
  readonly execute: 'here' | 'elsewhere'
  /** Drift of objects before the step. */
  readonly drift: readonly ObjectDrift[]
  readonly program: readonly PlannedThing[]
  /**
   * `<kind> <name>` of calls that the cloud refuses, and `<moment> <name>` of hooks that refuse.
   */
  readonly refuses: ReadonlySet<string>
  /** Hooks by name: the same in all steps, including names outside of this program. */
  readonly hooks: HooksByName
}

/** An object that changes or vanishes without a request. */
export interface ObjectDrift {
  readonly name: string
  readonly kind: 'changes' | 'vanishes'
}

/** A sequence of commands, with the goal that holds at the end. */
export interface Scenario {
  readonly steps: readonly ScenarioStep[]
  /** Hosts of the executors; empty if each command runs its operations itself. */
  readonly executors: readonly HostName[]
  /** Whether commands that did not end are restarted on either host. */
  readonly hasTwoHosts: boolean
  /** The step from which a version with newer rules is used. The number of steps means never. */
  readonly upgradeAt: number
}

/** Draws two to four deployments of 10 to 60 resources with edits in between. */
export function drawScenario(draw: SeededDraw): Scenario {
  const isLarge = draw.chance(0.1)
  const isWide = draw.chance(0.05)
  let program = isWide
    ? wideProgram(draw)
    : drawProgram(draw.fork('program'), isLarge ? draw.whole(25, 60) : draw.whole(10, 18))
  const steps: Omit<ScenarioStep, 'functionLimitMs' | 'hooks'>[] = []
  const count = isWide ? 2 : draw.chance(0.08) ? 4 : draw.chance(0.3) ? 3 : 2
  const around = draw.fork('around')
  const hasTwoHosts = around.chance(0.4)
  const executors = around.chance(0.35)
    ? Array.from(
        { length: around.whole(1, 3) },
        (_none, at): HostName => (at > 0 && hasTwoHosts && around.chance(0.6) ? 'there' : 'here'),
      )
    : []
  const upgradeAt = around.chance(0.25) ? around.whole(0, count - 1) : count
  for (let at = 0; at < count; at += 1) {
    const edit = draw.fork(`edit ${at}`)
    if (at > 0) program = editProgram(edit, program, at)
    const other = isWide || edit.chance(0.5) ? 'destroy' : 'refresh'
    const command = at === 0 || !(isWide || edit.chance(0.25)) ? 'up' : other
    const hasRefusals = edit.chance(0.25)
    const refuses = hasRefusals
      ? program.flatMap(({ name }) =>
          edit.chance(0.08) ? [`${edit.pick(['create', 'update', 'delete'])} ${name}`] : [],
        )
      : []
    steps.push({
      command,
      refresh: command !== 'refresh' && edit.chance(0.2),
      continueOnError: edit.chance(0.3),
      parallel: edit.pick([2, 4, 8, 16, 64]),
      execute: executors.length > 0 ? 'elsewhere' : 'here',
      drift: at === 0 || !edit.chance(0.25) ? [] : drawDrift(edit, program),
      program,
      refuses: new Set(refuses),
    })
  }
  const time = draw.fork('time')
  const functionLimitMs = time.chance(0.25) ? time.pick([1_500, 3_000, 8_000, 20_000]) : 0
  const hooking = draw.fork('hooks')
  const hooks = drawHooks(hooking, listThings(steps))
  return {
    steps: steps.map((step, at) => {
      const refuses = new Set([...step.refuses, ...drawRefusals(hooking.fork(`${at}`), hooks)])
      return { ...step, refuses, functionLimitMs, hooks }
    }),
    executors,
    hasTwoHosts,
    upgradeAt,
  }
}

/** Returns the names of all things of all steps. */
function listThings(steps: readonly Pick<ScenarioStep, 'program'>[]): readonly string[] {
  return steps.flatMap(({ program }) =>
    program.filter(({ kind }) => kind === 'thing').map(({ name }) => name),
  )
}

/**
 * Draws a program in which one thing has more dependents than an operation may release, so that
 * joins are needed.
 */
function wideProgram(draw: SeededDraw): readonly PlannedThing[] {
  const one: PlannedThing = { ...nothing, kind: 'thing', name: 'r0' }
  const many = Array.from(
    { length: draw.whole(36, 44) },
    (_none, at): PlannedThing => ({
      ...nothing,
      kind: 'thing',
      name: `r${at + 1}`,
      needs: ['r0'],
    }),
  )
  return [one, ...many]
}

function drawDrift(draw: SeededDraw, program: readonly PlannedThing[]): readonly ObjectDrift[] {
  const things = program.filter(({ kind }) => kind === 'thing')
  return Array.from({ length: draw.whole(1, 2) }, () => ({
    name: things[draw.whole(0, things.length - 1)]?.name ?? '',
    kind: draw.chance(0.5) ? ('changes' as const) : ('vanishes' as const),
  }))
}

const nothing = {
  parent: '',
  provider: '',
  needs: [],
  fixed: [],
  after: [],
  deleteFirst: false,
  isSecret: false,
  asks: false,
  catches: false,
  value: 0,
  made: 0,
} as const

function drawProgram(draw: SeededDraw, count: number): readonly PlannedThing[] {
  const program: PlannedThing[] = []
  for (let at = 0; at < count; at += 1) program.push(drawPlanned(draw, program, `r${at}`))
  return program
}

function drawPlanned(
  draw: SeededDraw,
  before: readonly PlannedThing[],
  name: string,
): PlannedThing {
  const components = before.filter(({ kind }) => kind === 'component').map(one => one.name)
  const providers = before.filter(({ kind }) => kind === 'provider').map(one => one.name)
  const things = before.filter(({ kind }) => kind === 'thing')
  const one = (names: readonly string[], probability: number): string =>
    names.length > 0 && draw.chance(probability)
      ? (names[draw.whole(0, names.length - 1)] ?? '')
      : ''
  const parent = one(components, 0.4)
  if (draw.chance(0.08)) return { ...nothing, name, kind: 'component', parent }
  if (draw.chance(0.04)) return { ...nothing, name, kind: 'provider' }
  const needs: string[] = []
  const fixed: string[] = []
  const after: string[] = []
  for (let tries = draw.whole(0, 3); tries > 0 && things.length > 0; tries -= 1) {
    const target = things[draw.whole(0, things.length - 1)]
    if (target === undefined || [...needs, ...fixed, ...after].includes(target.name)) continue
    // A thing that is deleted before its replacement must not be needed in between.
    if (mayGoFirst(target, things) || draw.chance(0.3)) fixed.push(target.name)
    else if (draw.chance(0.7)) needs.push(target.name)
    else after.push(target.name)
  }
  return {
    ...nothing,
    name,
    kind: 'thing',
    parent,
    provider: one(providers, 0.4),
    needs,
    fixed,
    after,
    deleteFirst: draw.chance(0.15),
    isSecret: draw.chance(0.2),
    asks: draw.chance(0.08),
    catches: draw.chance(0.2),
  }
}

/** Returns all things that may be deleted while others still depend on them. */
export function listEarlyDeletes({ steps }: Scenario): ReadonlySet<string> {
  const names = steps.flatMap(({ program }) =>
    program.filter(planned => mayGoFirst(planned, program)).map(({ name }) => name),
  )
  return new Set(names)
}

/** Reports whether a step is a destroy with its program, which deletes with hooks need. */
export function isDestroyByProgram({
  command,
  hooks,
}: Pick<ScenarioStep, 'command' | 'hooks'>): boolean {
  return command === 'destroy' && hooks.size > 0
}

/**
 * Returns a check whether a thing may count as independent of a dependency that it was created
 * with. A destroy with its program uses and records the program's current dependencies, as in
 * Pulumi. A run after an interrupted destroy sees these records.
 */
export function createForgottenCheck({ steps }: Scenario): (user: string, on: string) => boolean {
  const planned = steps.filter(isDestroyByProgram).flatMap(({ program }) => program)
  return (user, on) =>
    planned.some(one => one.name === user && ![...one.needs, ...one.fixed].includes(on))
}

/** Reports whether a thing is deleted before its replacement, directly or through a dependency. */
function mayGoFirst(planned: PlannedThing, things: readonly PlannedThing[]): boolean {
  if (planned.deleteFirst) return true
  return things.some(target => planned.fixed.includes(target.name) && mayGoFirst(target, things))
}

/** Returns the next version of a program: some things are removed, changed, replaced or added. */
function editProgram(
  draw: SeededDraw,
  before: readonly PlannedThing[],
  version: number,
): readonly PlannedThing[] {
  const names = new Set<string>([''])
  const kept = before.filter(({ name, kind, parent, provider }) => {
    const isGone = draw.chance(kind === 'thing' ? 0.12 : 0.04)
    if (isGone || !names.has(parent) || !names.has(provider)) return false
    names.add(name)
    return true
  })
  const program: PlannedThing[] = kept.map(planned => ({
    ...planned,
    needs: planned.needs.filter(name => names.has(name)),
    fixed: planned.fixed.filter(name => names.has(name)),
    after: planned.after.filter(name => names.has(name)),
    value: planned.value + (draw.chance(0.2) ? 1 : 0),
    made: planned.made + (draw.chance(0.1) ? 1 : 0),
  }))
  for (let more = draw.whole(0, 4); more > 0; more -= 1)
    program.push(drawPlanned(draw, program, `v${version}n${more}`))
  return program
}
