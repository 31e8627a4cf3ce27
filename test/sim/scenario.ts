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
  /** Its id is an input; it can be exchanged without replacing this one. */
  readonly needs: readonly string[]
  /** Its id is an input that cannot be changed in place. */
  readonly fixed: readonly string[]
  /** Only waited for. */
  readonly after: readonly string[]
  readonly value: number
  readonly made: number
  readonly deleteFirst: boolean
  readonly isSecret: boolean
  /** Whether an input comes from a function whose answer differs each time. */
  readonly asks: boolean
  /** Whether the program goes on without it when it fails. */
  readonly catches: boolean
}

/** One command of a scenario. */
export interface ScenarioStep {
  readonly command: 'up' | 'refresh' | 'destroy'
  readonly refresh: boolean
  readonly continueOnError: boolean
  readonly parallel: number
  /** How long each generator and executor may last, in ms; 0: for ever. */
  readonly functionLimitMs: number
  /** Who runs its operations: the process of the command, or others. */
  readonly execute: 'here' | 'elsewhere'
  /** What happens to objects before it, without anybody's doing. */
  readonly drift: readonly ObjectDrift[]
  readonly program: readonly PlannedThing[]
  /** `<kind> <name>` of calls that the cloud refuses, `<moment> <name>` of hooks that do. */
  readonly refuses: ReadonlySet<string>
  /** The same in all steps, with names that are not in this program. */
  readonly hooks: HooksByName
}

/** An object that changes or vanishes by itself. */
export interface ObjectDrift {
  readonly name: string
  readonly kind: 'changes' | 'vanishes'
}

/** Commands in a row, and the goal that holds at the end. */
export interface Scenario {
  readonly steps: readonly ScenarioStep[]
  /** Where those run that carry out operations; none where each command does it itself. */
  readonly executors: readonly HostName[]
  /** Where commands are given again that did not end: now here, now there. */
  readonly hasTwoHosts: boolean
  /** The step from which on a version with newer rules is used; the number of steps: never. */
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

/** The names of all things that ever are. */
function listThings(steps: readonly Pick<ScenarioStep, 'program'>[]): readonly string[] {
  return steps.flatMap(({ program }) =>
    program.filter(({ kind }) => kind === 'thing').map(({ name }) => name),
  )
}

/** More things need one than an operation may be released by: joins stand between. */
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
    // What goes before its replacement comes must not be needed meanwhile.
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

/** Everything that may be deleted while something still depends on it. */
export function listEarlyDeletes({ steps }: Scenario): ReadonlySet<string> {
  const names = steps.flatMap(({ program }) =>
    program.filter(planned => mayGoFirst(planned, program)).map(({ name }) => name),
  )
  return new Set(names)
}

/** Whether a step is a destroy that runs its program: deletes with hooks need it. */
export function isDestroyByProgram({
  command,
  hooks,
}: Pick<ScenarioStep, 'command' | 'hooks'>): boolean {
  return command === 'destroy' && hooks.size > 0
}

/**
 * Whether one thing may count as independent of another that it was made with. A destroy by its
 * program goes by what the program says now, as the original's does, and records it: so it does for
 * who comes after one that was interrupted.
 */
export function createForgottenCheck({ steps }: Scenario): (user: string, on: string) => boolean {
  const planned = steps.filter(isDestroyByProgram).flatMap(({ program }) => program)
  return (user, on) =>
    planned.some(one => one.name === user && ![...one.needs, ...one.fixed].includes(on))
}

/** Whether it is deleted before its replacement is made, for its own sake or for another's. */
function mayGoFirst(planned: PlannedThing, things: readonly PlannedThing[]): boolean {
  if (planned.deleteFirst) return true
  return things.some(target => planned.fixed.includes(target.name) && mayGoFirst(target, things))
}

/** The next version of a program: some gone, some changed, some to be replaced, some new. */
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
