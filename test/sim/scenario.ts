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
  readonly dependenciesWithoutInput: readonly string[]
  /** An input that can be changed in place. */
  readonly value: number
  /** An input whose change forces a replacement. */
  readonly fixedValue: number
  /** Whether it has the option `deleteBeforeReplace`. */
  readonly deleteFirst: boolean
  readonly isSecret: boolean
  /** Whether an input is the result of a provider function, which differs at each call. */
  readonly callsFunction: boolean
  /** Whether the program continues when the registration of this thing fails. */
  readonly toleratesFailure: boolean
}

/** One command of a scenario. */
export interface ScenarioStep {
  readonly command: 'up' | 'refresh' | 'destroy'
  /** The targets of a step, by name. Empty: all resources. */
  readonly targets: readonly string[]
  /**
   * The targets of several commands that run at the same time in place of one command. Empty: one
   * command runs.
   */
  readonly targetGroups: readonly (readonly string[])[]
  readonly refresh: boolean
  readonly continueOnError: boolean
  readonly parallel: number
  /** Time limit of each generator and executor, in ms; 0: none. */
  readonly functionLimitMs: number
  /** The executors of the operations: the process of the command, or others. */
  readonly execute: 'here' | 'elsewhere' | 'functions'
  /** See `RunInput.inlineOperationsMax`. It has an effect only if `execute` is `functions`. */
  readonly inlineOperationsMax: number
  /** Drift of objects before the step. */
  readonly drift: readonly ObjectDrift[]
  readonly program: readonly PlannedThing[]
  /**
   * `<kind> <name>` of calls that the cloud refuses, and `<hook type> <name>` of hooks that refuse.
   */
  readonly refusals: ReadonlySet<string>
  /** The hooks by name. All steps have equal hooks, also for names outside of their programs. */
  readonly hooks: HooksByName
}

/** Values of `execute` with which other processes than that of the command run operations. */
const separateOptions = ['elsewhere', 'functions'] as const

/** An object that changes or vanishes without a request. */
export interface ObjectDrift {
  readonly name: string
  readonly kind: 'changes' | 'vanishes'
}

/** A sequence of commands, and the processes that run them. */
export interface Scenario {
  readonly steps: readonly ScenarioStep[]
  /** Hosts of the executors; empty if each command runs its operations itself. */
  readonly executors: readonly HostName[]
  /** Whether commands that did not end are restarted on either host. */
  readonly hasTwoHosts: boolean
  /**
   * Index of the step in which a version with newer rules takes over, at the first restart of the
   * command. Later steps start with this version. The number of steps means never.
   */
  readonly upgradeAt: number
}

/** Draws two to four deployments of 10 to 60 resources with edits in between. */
export function drawScenario(draw: SeededDraw): Scenario {
  const isLarge = draw.chance(0.1)
  const isWide = draw.chance(0.05)
  let program = isWide
    ? drawWideProgram(draw)
    : drawProgram(draw.fork('program'), isLarge ? draw.integer(25, 60) : draw.integer(10, 18))
  const steps: Omit<ScenarioStep, 'functionLimitMs' | 'hooks'>[] = []
  const count = isWide ? 2 : draw.chance(0.08) ? 4 : draw.chance(0.3) ? 3 : 2
  const setupDraw = draw.fork('around')
  const hasTwoHosts = setupDraw.chance(0.4)
  const executors = setupDraw.chance(0.35)
    ? Array.from(
        { length: setupDraw.integer(1, 3) },
        (_none, index): HostName =>
          index > 0 && hasTwoHosts && setupDraw.chance(0.6) ? 'there' : 'here',
      )
    : []
  const inlineDraw = draw.fork('inline')
  const execute = executors.length === 0 ? 'here' : inlineDraw.pick(separateOptions)
  const inlineOperationsMax = inlineDraw.pick([0, 1, 2, 4, 16])
  const upgradeAt = setupDraw.chance(0.25) ? setupDraw.integer(0, count - 1) : count
  for (let index = 0; index < count; index += 1) {
    const editDraw = draw.fork(`edit ${index}`)
    if (index > 0) program = editProgram(editDraw, program, index)
    const laterCommand = isWide || editDraw.chance(0.5) ? 'destroy' : 'refresh'
    const command = index === 0 || !(isWide || editDraw.chance(0.25)) ? 'up' : laterCommand
    const hasRefusals = editDraw.chance(0.25)
    const refusals = hasRefusals
      ? program.flatMap(({ name }) =>
          editDraw.chance(0.08) ? [`${editDraw.pick(['create', 'update', 'delete'])} ${name}`] : [],
        )
      : []
    steps.push({
      command,
      refresh: command !== 'refresh' && editDraw.chance(0.2),
      continueOnError: editDraw.chance(0.3),
      parallel: editDraw.pick([2, 4, 8, 16, 64]),
      execute,
      inlineOperationsMax,
      drift: index === 0 || !editDraw.chance(0.25) ? [] : drawDrift(editDraw, program),
      program,
      refusals: new Set(refusals),
      targets: [],
      targetGroups:
        command === 'up' && index > 0 && executors.length === 0
          ? drawTargetGroups(draw.fork(`targets ${index}`), program)
          : [],
    })
  }
  const limitDraw = draw.fork('time')
  const hasGroups = steps.some(({ targetGroups }) => targetGroups.length > 0)
  const functionLimitMs =
    !hasGroups && limitDraw.chance(0.25) ? limitDraw.pick([1_500, 3_000, 8_000, 20_000]) : 0
  const hookDraw = draw.fork('hooks')
  const hooks = drawHooks(hookDraw, listThings(steps))
  return {
    steps: steps.map((step, index) => {
      const refusals = new Set([
        ...step.refusals,
        ...drawRefusals(hookDraw.fork(`${index}`), hooks),
      ])
      return { ...step, refusals, functionLimitMs, hooks }
    }),
    executors,
    hasTwoHosts,
    upgradeAt,
  }
}

/**
 * Draws the targets of two or three commands together, or none. Most groups do not touch, as far as
 * the program shows.
 */
function drawTargetGroups(
  draw: SeededDraw,
  program: readonly PlannedThing[],
): readonly (readonly string[])[] {
  if (!draw.chance(0.4)) return []
  const things = program.filter(({ kind }) => kind === 'thing')
  const mayTouch = draw.chance(0.3)
  const groups: (readonly string[])[] = []
  for (let number = draw.integer(2, 3); number > 0; number -= 1) {
    const chosenNames = groups.flat()
    const candidates = things.filter(
      thing => mayTouch || !chosenNames.some(name => touches(thing, name, program)),
    )
    const pick = (): string => candidates[draw.integer(0, candidates.length - 1)]?.name ?? ''
    if (candidates.length > 0) groups.push([pick(), pick()])
  }
  return groups
}

/** Reports whether a thing is the named thing, or one of the two depends on the other. */
function touches(thing: PlannedThing, name: string, program: readonly PlannedThing[]): boolean {
  const dependenciesOf = ({
    needs,
    fixed,
    dependenciesWithoutInput,
  }: PlannedThing): readonly string[] => [...needs, ...fixed, ...dependenciesWithoutInput]
  const other = program.find(candidate => candidate.name === name)
  return (
    thing.name === name ||
    dependenciesOf(thing).includes(name) ||
    (other !== undefined && dependenciesOf(other).includes(thing.name))
  )
}

/** Returns the names of all things of all steps. */
function listThings(steps: readonly Pick<ScenarioStep, 'program'>[]): readonly string[] {
  return steps.flatMap(({ program }) =>
    program.filter(({ kind }) => kind === 'thing').map(({ name }) => name),
  )
}

/**
 * Draws a program in which one thing has more dependents than an operation may release. The engine
 * then needs joins.
 */
function drawWideProgram(draw: SeededDraw): readonly PlannedThing[] {
  const base: PlannedThing = { ...emptyThing, kind: 'thing', name: 'r0' }
  const dependents = Array.from(
    { length: draw.integer(36, 44) },
    (_none, index): PlannedThing => ({
      ...emptyThing,
      kind: 'thing',
      name: `r${index + 1}`,
      needs: ['r0'],
    }),
  )
  return [base, ...dependents]
}

function drawDrift(draw: SeededDraw, program: readonly PlannedThing[]): readonly ObjectDrift[] {
  const things = program.filter(({ kind }) => kind === 'thing')
  return Array.from({ length: draw.integer(1, 2) }, () => ({
    name: things[draw.integer(0, things.length - 1)]?.name ?? '',
    kind: draw.chance(0.5) ? ('changes' as const) : ('vanishes' as const),
  }))
}

const emptyThing = {
  parent: '',
  provider: '',
  needs: [],
  fixed: [],
  dependenciesWithoutInput: [],
  deleteFirst: false,
  isSecret: false,
  callsFunction: false,
  toleratesFailure: false,
  value: 0,
  fixedValue: 0,
} as const

function drawProgram(draw: SeededDraw, count: number): readonly PlannedThing[] {
  const program: PlannedThing[] = []
  for (let index = 0; index < count; index += 1)
    program.push(drawPlannedThing(draw, program, `r${index}`))
  return program
}

function drawPlannedThing(
  draw: SeededDraw,
  earlierThings: readonly PlannedThing[],
  name: string,
): PlannedThing {
  const components = earlierThings
    .filter(({ kind }) => kind === 'component')
    .map(thing => thing.name)
  const providers = earlierThings.filter(({ kind }) => kind === 'provider').map(thing => thing.name)
  const things = earlierThings.filter(({ kind }) => kind === 'thing')
  const pickName = (names: readonly string[], probability: number): string =>
    names.length > 0 && draw.chance(probability)
      ? (names[draw.integer(0, names.length - 1)] ?? '')
      : ''
  const parent = pickName(components, 0.4)
  if (draw.chance(0.08)) return { ...emptyThing, name, kind: 'component', parent }
  if (draw.chance(0.04)) return { ...emptyThing, name, kind: 'provider' }
  const needs: string[] = []
  const fixed: string[] = []
  const dependenciesWithoutInput: string[] = []
  for (let tries = draw.integer(0, 3); tries > 0 && things.length > 0; tries -= 1) {
    const target = things[draw.integer(0, things.length - 1)]
    if (
      target === undefined ||
      [...needs, ...fixed, ...dependenciesWithoutInput].includes(target.name)
    )
      continue
    // If the target is deleted before its replacement, this thing must be deleted before it.
    if (mayBeDeletedFirst(target, things) || draw.chance(0.3)) fixed.push(target.name)
    else if (draw.chance(0.7)) needs.push(target.name)
    else dependenciesWithoutInput.push(target.name)
  }
  return {
    ...emptyThing,
    name,
    kind: 'thing',
    parent,
    provider: pickName(providers, 0.4),
    needs,
    fixed,
    dependenciesWithoutInput,
    deleteFirst: draw.chance(0.15),
    isSecret: draw.chance(0.2),
    callsFunction: draw.chance(0.08),
    toleratesFailure: draw.chance(0.2),
  }
}

/** Returns the names of all things that may be deleted while others still depend on them. */
export function listEarlyDeletes({ steps }: Scenario): ReadonlySet<string> {
  const names = steps.flatMap(({ program, targetGroups }) => [
    ...program.filter(thing => mayBeDeletedFirst(thing, program)).map(({ name }) => name),
    // A replaced target is deleted although its untargeted dependents still have its old id.
    ...targetGroups.flat(),
  ])
  return new Set(names)
}

/**
 * Reports whether a step is a destroy that runs its program. Deletes with hooks need the program.
 */
export function isDestroyByProgram({
  command,
  hooks,
}: Pick<ScenarioStep, 'command' | 'hooks'>): boolean {
  return command === 'destroy' && hooks.size > 0
}

/**
 * Returns a check whether a resource may count as independent of a dependency that it was created
 * with. A destroy with its program uses and records the current dependencies of the program, as in
 * Pulumi. A run after an interrupted destroy sees these records. A targeted deployment creates an
 * untargeted dependent again with its old inputs, but records the current dependencies.
 */
export function createForgottenCheck({
  steps,
}: Scenario): (dependent: string, dependency: string) => boolean {
  const forgets = (step: ScenarioStep): boolean =>
    isDestroyByProgram(step) || step.targetGroups.length > 0
  const forgettingThings = steps.filter(forgets).flatMap(({ program }) => program)
  return (dependent, dependency) =>
    forgettingThings.some(
      thing => thing.name === dependent && ![...thing.needs, ...thing.fixed].includes(dependency),
    )
}

/** Reports whether a thing is deleted before its replacement, directly or through a dependency. */
function mayBeDeletedFirst(thing: PlannedThing, things: readonly PlannedThing[]): boolean {
  if (thing.deleteFirst) return true
  return things.some(
    target => thing.fixed.includes(target.name) && mayBeDeletedFirst(target, things),
  )
}

/** Returns the next version of a program: some things are removed, changed, replaced or added. */
function editProgram(
  draw: SeededDraw,
  previousProgram: readonly PlannedThing[],
  version: number,
): readonly PlannedThing[] {
  const names = new Set<string>([''])
  const keptThings = previousProgram.filter(({ name, kind, parent, provider }) => {
    const isRemoved = draw.chance(kind === 'thing' ? 0.12 : 0.04)
    if (isRemoved || !names.has(parent) || !names.has(provider)) return false
    names.add(name)
    return true
  })
  const program: PlannedThing[] = keptThings.map(thing => ({
    ...thing,
    needs: thing.needs.filter(name => names.has(name)),
    fixed: thing.fixed.filter(name => names.has(name)),
    dependenciesWithoutInput: thing.dependenciesWithoutInput.filter(name => names.has(name)),
    value: thing.value + (draw.chance(0.2) ? 1 : 0),
    fixedValue: thing.fixedValue + (draw.chance(0.1) ? 1 : 0),
  }))
  for (let additions = draw.integer(0, 4); additions > 0; additions -= 1)
    program.push(drawPlannedThing(draw, program, `v${version}n${additions}`))
  return program
}
