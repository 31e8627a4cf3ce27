import { createWorldClock } from './clock.ts'
import { createMachine } from './machine.ts'
import { operate } from './operator.ts'
import { simStack } from './process.ts'
import { listComparableResources, createChecks } from './checks.ts'
import { readStateBlob } from './read-state-blob.ts'
import { createModelCloud } from './model-cloud.ts'
import { createHookRules } from './hook-rules.ts'
import type { Fault } from './faults.ts'
import { createForgottenCheck, listEarlyDeletes, type Scenario } from './scenario.ts'
import { type ObservedWorld, type WorldOptions, type World, createWorld } from './world.ts'

/** The result of a scenario under faults. */
export interface ScenarioResult {
  readonly violations: readonly string[]
  readonly lines: readonly string[]
  readonly counts: ReadonlyMap<string, number>
  /**
   * Numbers of effects, one list per step: of the first process of the command, then of the first
   * process at each position of the fleet.
   */
  readonly effects: readonly (readonly number[])[]
  /** The last state and the existing objects, without values that vary between correct runs. */
  readonly finalState: readonly string[]
  /** Whether only a user could find out the end of some create. */
  readonly hasUnknownCreate: boolean
  readonly ticks: number
  readonly deployments: number
}

/** Maximum number of events of one run. A run that needs more counts as one that never ends. */
const ticksMax = 120_000

/** Runs a scenario, first under faults, then without, until the last goal is reached. */
export async function runScenario(
  seed: number,
  scenario: Scenario,
  faults: readonly Fault[],
  worldOptions: WorldOptions = {},
): Promise<ScenarioResult> {
  const cache: { observed?: ObservedWorld } = {}
  const world = createWorld(
    seed,
    observedWorld => {
      cache.observed ??= createObservedWorld(observedWorld, scenario)
      return cache.observed.checks
    },
    { ...worldOptions, hasFaults: faults.length > 0 },
  )
  const { cloud } = (cache.observed ??= createObservedWorld(world, scenario))
  await world.manualWrites.createStack(simStack, createWorldClock(world.scheduler).now())
  const machine = createMachine(world, cloud, faults)
  const effects: (readonly number[])[] = []
  let isOver = false
  const operatorRun = operate({ machine, faults, effects }, scenario)
    .catch((thrown: unknown) => {
      world.violate(`the run failed: ${thrown instanceof Error ? thrown.stack : String(thrown)}`)
    })
    .finally(() => {
      isOver = true
    })
  if (await world.scheduler.run(() => isOver, ticksMax)) await operatorRun
  else world.violate('the deployments did not end')
  const state = readStateBlob(world, world.records.catalog.getStack(simStack)?.snapshot ?? '')
  return {
    violations: world.violations,
    lines: world.lines,
    counts: world.counts,
    effects,
    finalState: [
      ...listComparableResources(state),
      ...[...cloud.objects.values()].map(object => `${object.name} exists`).sort(),
    ],
    hasUnknownCreate: world.counts.has('checked: a person settled a pending operation'),
    ticks: world.scheduler.ticks(),
    deployments: world.records.catalog.getStack(simStack)?.deployments ?? 0,
  }
}

function createObservedWorld(world: World, scenario: Scenario): ObservedWorld {
  const earlyDeletes = listEarlyDeletes(scenario)
  const hooks = createHookRules(scenario.steps[0]?.hooks ?? new Map(), world)
  const cloud = createModelCloud(world.violate, hooks, {
    mayBeDeletedFirst: name => earlyDeletes.has(name),
    isForgotten: createForgottenCheck(scenario),
  })
  return { world, cloud, checks: createChecks(world, cloud) }
}
