import type { SeededDraw } from './draw.ts'

/**
 * One fault, as data. It strikes the first effect from number `effect` on that its kind can strike.
 */
export interface Fault {
  /** The deployment of the scenario. */
  readonly step: number
  /**
   * Number of the process that serves the step. `any`: the fault waits for its effect in all
   * processes.
   */
  readonly life: number | 'any'
  /** The struck process: 0 is the process of the command, others run operations for it. */
  readonly who: number
  readonly effect: number
  readonly kind: FaultKind
  /** In [0, 1): a size for durations and numbers. */
  readonly size: number
}

interface KindRow {
  /** The effects that it can strike, by name. */
  readonly strikes: RegExp
  /** Relative frequency of its draws. */
  readonly weight: number
  /** The fault needs a rare event, and waits for it in all processes. */
  readonly roams?: true
}

const any = /^/
const record = /^(?:decisionLog|operations|control|leases|catalog|blobs|events)\./
const call = /^provider\./
/** All effects that a platform may refuse for lack of capacity. */
const service = /^(?:decisionLog|operations|control|leases|catalog|blobs|events|chains|nudges)\./
/** Rare effects whose repetition must not have a second effect. */
const release = /^operations\.(?:giveBack|lapse)/

/** Every kind of fault. The consequences are implemented where its effect runs. */
const kinds = {
  'crash before an effect': { strikes: any, weight: 6 },
  'crash after an effect': { strikes: any, weight: 6 },
  'reply lost, then repeated': { strikes: record, weight: 3 },
  'late copy of a request': { strikes: record, weight: 3 },
  'reply of a release lost, then repeated': { strikes: release, weight: 1, roams: true },
  'late copy of a release': { strikes: release, weight: 1, roams: true },
  'copies of a release at every later change': { strikes: release, weight: 3, roams: true },
  'copies of a second release at every later change': {
    strikes: /^operations\.giveBack of a second/,
    weight: 2,
    roams: true,
  },
  'an arrival comes again after a lapse': {
    strikes: /^operations\.lapse of a waiter/,
    weight: 2,
    roams: true,
  },
  'stopped as something begins': { strikes: /^operations\.begin$/, weight: 1, roams: true },
  'stopped as something begins again': {
    strikes: /^operations\.begin again/,
    weight: 2,
    roams: true,
  },
  'stopped as something loses its owner': {
    strikes: /^operations\.lapse/,
    weight: 2,
    roams: true,
  },
  'no executor can begin an operation': { strikes: /^operations\.begin$/, weight: 1, roams: true },
  'stalls as something begins': { strikes: /^operations\.begin/, weight: 2, roams: true },
  'crash in a call that may be repeated': {
    strikes: /^provider\.(?:update|delete|read)/,
    weight: 4,
    roams: true,
  },
  'frozen in a create, and deposed meanwhile': {
    strikes: /^provider\.create/,
    weight: 2,
    roams: true,
  },
  'store refuses once': { strikes: service, weight: 2 },
  'one port is throttled': { strikes: service, weight: 2 },
  'store refuses for a while': { strikes: record, weight: 1 },
  'slow effect': { strikes: any, weight: 2 },
  'freeze before an effect': { strikes: any, weight: 2 },
  'freeze after an effect': { strikes: any, weight: 2 },
  'freeze for longer than a lease': { strikes: any, weight: 2 },
  'wall clock jumps': { strikes: any, weight: 1 },
  'lease cannot be renewed': { strikes: /^leases\.renew/, weight: 2 },
  'message twice': { strikes: /^chains\.send/, weight: 2 },
  'message lost': { strikes: /^chains\.send/, weight: 2 },
  'message before its time': { strikes: /^chains\.send/, weight: 3 },
  'message late': { strikes: /^chains\.send/, weight: 2 },
  'hint lost': { strikes: /^hints\./, weight: 1 },
  'nudge lost': { strikes: /^nudges\.nudge/, weight: 1, roams: true },
  'hint late and twice': { strikes: /^hints\./, weight: 1 },
  'plugin cannot be reached': { strikes: call, weight: 2 },
  'plugin crashes before a call': { strikes: call, weight: 2 },
  'plugin crashes after a call': { strikes: call, weight: 2 },
  'provider takes long': { strikes: call, weight: 2 },
  'provider refuses': { strikes: call, weight: 2 },
  'create is partial': { strikes: /^provider\.create/, weight: 2 },
  'cancelled by its terminal': { strikes: any, weight: 1 },
  'terminated by its terminal': { strikes: any, weight: 2 },
  'stopped from elsewhere': { strikes: any, weight: 1 },
  'second trigger': { strikes: any, weight: 2 },
  'everything is killed': { strikes: any, weight: 1 },
  'taken for dead by another host': { strikes: any, weight: 2 },
  'frozen, and deposed meanwhile': { strikes: any, weight: 2 },
  'an older version is started': { strikes: any, weight: 2 },
  'old records are removed': { strikes: any, weight: 2 },
  'the state is read meanwhile': { strikes: any, weight: 2 },
} as const satisfies Readonly<Record<string, KindRow>>

/** The name of a kind of fault. */
export type FaultKind = keyof typeof kinds

/** All kinds, for coverage. */
export const faultKinds = Object.keys(kinds) as readonly FaultKind[]

/** Reports whether a kind can strike an effect with this name. */
export function strikes(kind: FaultKind, effect: string): boolean {
  return kinds[kind].strikes.test(effect)
}

const bagOf = (roams: boolean): readonly FaultKind[] =>
  faultKinds.flatMap(kind => {
    const row: KindRow = kinds[kind]
    return (row.roams === true) === roams ? Array.from({ length: row.weight }, () => kind) : []
  })
const [bag, roaming] = [bagOf(false), bagOf(true)]

/**
 * Draws four to nine faults over the effects of each deployment in a run without faults, and two
 * that wait for rare events.
 */
export function drawFaults(
  draw: SeededDraw,
  effects: readonly (readonly number[])[],
): readonly Fault[] {
  const wait = Array.from({ length: 2 }, (): Fault => {
    const kind = roaming[draw.whole(0, roaming.length - 1)] ?? 'late copy of a release'
    return { step: 0, life: 'any', who: 0, effect: draw.whole(1, 30), kind, size: draw.unit() }
  })
  const placed = Array.from({ length: draw.whole(4, 9) }, (): Fault => {
    const step = draw.whole(0, effects.length - 1)
    const ofStep = effects[step] ?? []
    const life = draw.chance(0.7) ? 0 : draw.chance(0.7) ? 1 : 2
    const who = draw.whole(0, Math.max(0, ofStep.length - 1))
    return {
      step,
      life,
      who,
      effect: draw.whole(1, Math.max(1, ofStep[who] ?? 1)),
      kind: bag[draw.whole(0, bag.length - 1)] ?? 'crash after an effect',
      size: draw.unit(),
    }
  })
  return [...placed, ...wait]
}
