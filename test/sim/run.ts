import { simStack, createMachine, type Machine, type ProcessEnd } from './process.ts'
import { textIn } from '../../shared/state/stored-fields.ts'
import { hasProvider } from '../../shared/state/pending.ts'
import { comparable, createChecks, stateIn } from './checks.ts'
import { createCloud, type Cloud } from './cloud.ts'
import type { Fault } from './faults.ts'
import { createWorldClock } from './node.ts'
import { goesFirstIn, type Scenario, type Step } from './scenario.ts'
import { type Place, type World, createWorld } from './world.ts'

/** What a run of a scenario under faults came to. */
export interface Ran {
  readonly violations: readonly string[]
  readonly lines: readonly string[]
  readonly counts: ReadonlyMap<string, number>
  /** Effects of the first process of each step. */
  readonly effects: readonly number[]
  /** The last state, without what may differ between two good runs. */
  readonly final: readonly string[]
  /** Whether nobody but a person could know what became of some create. */
  readonly isUnknowable: boolean
  readonly ticks: number
  readonly deployments: number
}

/** Most events of one run: more is a deployment that does not end. */
const ticksMax = 120_000
/** Most tries to reach the goal once no fault strikes any more. */
const triesMax = 8

/** Runs a scenario: under faults first, then without, until the last goal is reached. */
export async function runScenario(
  seed: number,
  scenario: Scenario,
  faults: readonly Fault[],
): Promise<Ran> {
  const place: { made?: Place } = {}
  const world = createWorld(seed, of => {
    place.made ??= placeOf(of, scenario)
    return place.made.checks
  })
  const { cloud } = (place.made ??= placeOf(world, scenario))
  world.store.catalog.createStack(simStack, createWorldClock(world.scheduler).now())
  const machine = createMachine(world, cloud)
  const effects: number[] = []
  let isOver = false
  const operated = operate({ world, cloud, machine, faults, effects }, scenario)
    .catch((thrown: unknown) => {
      world.violate(`the run broke: ${thrown instanceof Error ? thrown.stack : String(thrown)}`)
    })
    .finally(() => {
      isOver = true
    })
  if (await world.scheduler.run(() => isOver, ticksMax)) await operated
  else world.violate('the deployments did not end')
  const state = stateIn(world, world.store.catalog.stack(simStack)?.snapshot ?? '')
  return {
    violations: world.violations,
    lines: world.lines,
    counts: world.counts,
    effects,
    final: [
      ...comparable(state),
      ...[...cloud.objects.values()].map(object => `${object.name} exists`).sort(),
    ],
    isUnknowable: world.counts.has('checked: a person settled a pending operation'),
    ticks: world.scheduler.ticks(),
    deployments: world.store.catalog.stack(simStack)?.deployments ?? 0,
  }
}

function placeOf(world: World, scenario: Scenario): Place {
  const first = goesFirstIn(scenario)
  const cloud = createCloud(world.violate, name => first.has(name))
  return { world, cloud, checks: createChecks(world, cloud) }
}

interface Operating {
  readonly world: World
  readonly cloud: Cloud
  readonly machine: Machine
  readonly faults: readonly Fault[]
  readonly effects: number[]
}

/** Who runs commands: starts them again after a crash, as a person or a platform would. */
async function operate(deps: Operating, scenario: Scenario): Promise<void> {
  const last = scenario.steps.at(-1)
  if (last === undefined) return
  await createWorldClock(deps.world.scheduler).sleep(1)
  for (const [at, step] of scenario.steps.entries())
    await carryOn(deps, { step, at, isLast: step === last })
  const command = last.command === 'destroy' ? 'destroy' : 'up'
  await settle(deps, { ...last, command, refresh: false, refuses: new Set() })
}

async function carryOn(
  deps: Operating,
  about: { readonly step: Step; readonly at: number; readonly isLast: boolean },
): Promise<void> {
  const { world, machine } = deps
  const { step, at } = about
  const draw = world.draw.fork(`operator ${at}`)
  const clock = createWorldClock(world.scheduler)
  const others: Promise<unknown>[] = []
  let resume = false
  for (let life = 0; life < 5; life += 1) {
    const started = machine.start({
      key: `${at}.${life}`,
      step,
      resume,
      wait: false,
      faults: deps.faults.filter(fault => fault.step === at && fault.life === life),
      pulled: ({ kind, size }, launch) => {
        const deployment = launch.deployment()
        if (kind === 'stopped from elsewhere' && deployment !== undefined)
          world.store.control.stop(deployment, size < 0.5 ? 'graceful' : 'forced')
        if (kind !== 'second trigger') return
        const other = { step, resume: size < 0.3, wait: size > 0.6, faults: [] }
        others.push(machine.start({ ...other, key: `${at}.${life}b`, pulled: () => undefined }).end)
      },
    })
    const end = await started.end
    if (life === 0) deps.effects.push(started.launch.effects())
    if (end.kind === 'done') break
    await clock.sleep(draw.chance(0.5) ? draw.whole(0, 500) : draw.whole(500, 120_000))
    const choice = draw.unit()
    if (!about.isLast && choice < 0.2) break
    resume = mayResume(end) && choice < 0.75
  }
  await Promise.all(others)
}

function mayResume(end: ProcessEnd): boolean {
  return end.kind !== 'failed' || end.code !== 'NOTHING_TO_RESUME'
}

/** No fault strikes any more: what is left is settled by a person, and the goal is reached. */
async function settle(deps: Operating, goal: Step): Promise<void> {
  const { world, cloud, machine } = deps
  const clock = createWorldClock(world.scheduler)
  let [goesOn, done] = [true, 0]
  for (let tries = 0; tries < triesMax; tries += 1) {
    // Nothing that was sent can land any more.
    await clock.sleep(260_000)
    const pendingCreates = settledByPerson(world, cloud)
    const command = done === 0 ? ({ command: 'refresh', refresh: false } as const) : {}
    const step: Step = { ...goal, ...command, parallel: 16 }
    const about = { step, resume: goesOn, wait: true, faults: [], pulled: () => undefined }
    const key = `last.${tries}`
    const end = await machine.start({ ...about, key, ...(goesOn ? {} : { pendingCreates }) }).end
    if (end.kind === 'failed' && end.code === 'INTERNAL') world.violate(`it broke: ${end.message}`)
    if (!goesOn && end.kind === 'done' && end.result.result === 'succeeded') done += 1
    goesOn = false
    if (done === 2) return
  }
  world.violate('the goal was not reached although no fault struck any more')
}

/** What a person who knows the cloud says of pending creates; orphans of them are cleared away. */
function settledByPerson(
  world: World,
  cloud: Cloud,
): { readonly exist: ReadonlyMap<string, string>; readonly forget: boolean } {
  const state = stateIn(world, world.store.catalog.stack(simStack)?.snapshot ?? '')
  const kept = new Set((state.resources ?? []).map(resource => textIn(resource, 'id')))
  const urns = new Set((state.resources ?? []).map(({ urn }) => urn))
  const exist = new Map<string, string>()
  const creates = (state.pending_operations ?? []).filter(({ type }) => type === 'creating')
  if (creates.length === 0) return { exist, forget: false }
  world.covered('checked', 'a person settled a pending operation')
  for (const { resource } of creates)
    for (const object of [...cloud.objects.values()]) {
      if (object.urn !== resource.urn || kept.has(object.id)) continue
      const isTaken = urns.has(object.urn) || exist.has(object.urn)
      if (isTaken || !hasProvider(state.resources ?? [], resource)) cloud.clear(object.id)
      else exist.set(object.urn, object.id)
    }
  world.covered('rule', `a pending create is ${exist.size > 0 ? 'imported' : 'cleared'}`)
  return { exist, forget: true }
}
