import type { SeededDraw } from './draw.ts'

/**
 * One fault, as data. It strikes one effect: the first one that its kind can strike, beginning with
 * the effect of number `effect`.
 */
export interface Fault {
  /** Index of the step in the scenario, from 0. It is ignored if `startNumber` is `any`. */
  readonly step: number
  /**
   * Number of earlier starts of the process: 0 is the first start of the step. `any`: the fault
   * waits for its effect in all processes.
   */
  readonly startNumber: number | 'any'
  /**
   * The number of the struck process: 0 is the process of the command, the others run operations
   * for it. It is ignored if `startNumber` is `any`.
   */
  readonly processIndex: number
  readonly effect: number
  readonly kind: FaultKind
  /** In [0, 1): the size of the fault. It scales durations and selects variants of the kind. */
  readonly magnitude: number
}

interface KindRow {
  /** A pattern for the names of the effects that the kind can strike. */
  readonly strikes: RegExp
  /** The relative frequency of the kind. */
  readonly weight: number
  /** Whether the fault waits for its effect in all processes, because its effect is rare. */
  readonly inAnyProcess?: true
}

const anyEffect = /^/
const recordEffects = /^(?:decisionLog|operations|control|leases|catalog|blobs|events)\./
const providerCalls = /^provider\./
/** All effects that a platform may refuse for lack of capacity. */
const serviceEffects =
  /^(?:decisionLog|operations|control|leases|catalog|blobs|events|chains|nudges)\./
/**
 * Requests that remove the owner of an operation. They are rare. A repetition of such a request must
 * not change the head again.
 */
const ownerRemovalEffects = /^operations\.(?:giveBack|lapse)/

/** Every kind of fault. The simulated ports and the `onFault` handlers implement the kinds. */
const kinds = {
  'crash before an effect': { strikes: anyEffect, weight: 6 },
  'crash after an effect': { strikes: anyEffect, weight: 6 },
  'reply lost, then repeated': { strikes: recordEffects, weight: 3 },
  'late copy of a request': { strikes: recordEffects, weight: 3 },
  'reply of an owner removal lost, then repeated': {
    strikes: ownerRemovalEffects,
    weight: 1,
    inAnyProcess: true,
  },
  'late copy of an owner removal': { strikes: ownerRemovalEffects, weight: 1, inAnyProcess: true },
  'copies of an owner removal at every later change': {
    strikes: ownerRemovalEffects,
    weight: 3,
    inAnyProcess: true,
  },
  'copies of a second owner removal at every later change': {
    strikes: /^operations\.giveBack of a second/,
    weight: 2,
    inAnyProcess: true,
  },
  'an arrival comes again after a lapse': {
    strikes: /^operations\.lapse of a waiter/,
    weight: 2,
    inAnyProcess: true,
  },
  'stopped as an operation begins': {
    strikes: /^operations\.begin$/,
    weight: 1,
    inAnyProcess: true,
  },
  'stopped as an operation begins again': {
    strikes: /^operations\.begin again/,
    weight: 2,
    inAnyProcess: true,
  },
  'stopped as an operation loses its owner': {
    strikes: /^operations\.lapse/,
    weight: 2,
    inAnyProcess: true,
  },
  'no executor can begin an operation': {
    strikes: /^operations\.begin$/,
    weight: 1,
    inAnyProcess: true,
  },
  'stalls as an operation begins': { strikes: /^operations\.begin/, weight: 2, inAnyProcess: true },
  'crash in a call that may be repeated': {
    strikes: /^provider\.(?:update|delete|read)/,
    weight: 4,
    inAnyProcess: true,
  },
  'frozen in a create, and deposed meanwhile': {
    strikes: /^provider\.create/,
    weight: 2,
    inAnyProcess: true,
  },
  'store refuses once': { strikes: serviceEffects, weight: 2 },
  'one port is throttled': { strikes: serviceEffects, weight: 2 },
  'store refuses for a while': { strikes: recordEffects, weight: 1 },
  'slow effect': { strikes: anyEffect, weight: 2 },
  'freeze before an effect': { strikes: anyEffect, weight: 2 },
  'freeze after an effect': { strikes: anyEffect, weight: 2 },
  'freeze for longer than a lease': { strikes: anyEffect, weight: 2 },
  'wall clock jumps': { strikes: anyEffect, weight: 1 },
  'lease cannot be renewed': { strikes: /^leases\.renew/, weight: 2 },
  'message twice': { strikes: /^chains\.send/, weight: 2 },
  'message lost': { strikes: /^chains\.send/, weight: 2 },
  'message before its time': { strikes: /^chains\.send/, weight: 3 },
  'message late': { strikes: /^chains\.send/, weight: 2 },
  'hint lost': { strikes: /^hints\./, weight: 1 },
  'nudge lost': { strikes: /^nudges\.nudge/, weight: 1, inAnyProcess: true },
  'hint late and twice': { strikes: /^hints\./, weight: 1 },
  'plugin cannot be reached': { strikes: providerCalls, weight: 2 },
  'plugin crashes before a call': { strikes: providerCalls, weight: 2 },
  'plugin crashes after a call': { strikes: providerCalls, weight: 2 },
  'provider takes long': { strikes: providerCalls, weight: 2 },
  'provider refuses': { strikes: providerCalls, weight: 2 },
  'create is partial': { strikes: /^provider\.create/, weight: 2 },
  'cancelled by its terminal': { strikes: anyEffect, weight: 1 },
  'terminated by its terminal': { strikes: anyEffect, weight: 2 },
  'stopped from elsewhere': { strikes: anyEffect, weight: 1 },
  'second trigger': { strikes: anyEffect, weight: 2 },
  'everything is killed': { strikes: anyEffect, weight: 1 },
  'taken for dead by another host': { strikes: anyEffect, weight: 2 },
  'frozen, and deposed meanwhile': { strikes: anyEffect, weight: 2 },
  'an older version is started': { strikes: anyEffect, weight: 2 },
  'old records are removed': { strikes: anyEffect, weight: 2 },
  'the state is read meanwhile': { strikes: anyEffect, weight: 2 },
} as const satisfies Readonly<Record<string, KindRow>>

/** The name of a kind of fault. */
export type FaultKind = keyof typeof kinds

/** All kinds, for coverage. */
export const faultKinds = Object.keys(kinds) as readonly FaultKind[]

/** Reports whether a kind can strike an effect with this name. */
export function canStrike(kind: FaultKind, effect: string): boolean {
  return kinds[kind].strikes.test(effect)
}

const listWeightedKinds = (inAnyProcess: boolean): readonly FaultKind[] =>
  faultKinds.flatMap(kind => {
    const row: KindRow = kinds[kind]
    return (row.inAnyProcess === true) === inAnyProcess
      ? Array.from({ length: row.weight }, () => kind)
      : []
  })
const [weightedKinds, weightedSharedKinds] = [listWeightedKinds(false), listWeightedKinds(true)]

/**
 * Draws four to nine faults of single processes, and two more that wait for rare effects in any
 * process. `effects`: number of effects by step and process, in a run without faults.
 */
export function drawFaults(
  draw: SeededDraw,
  effects: readonly (readonly number[])[],
): readonly Fault[] {
  const sharedFaults = Array.from({ length: 2 }, (): Fault => {
    const kind =
      weightedSharedKinds[draw.integer(0, weightedSharedKinds.length - 1)] ??
      'late copy of an owner removal'
    return {
      step: 0,
      startNumber: 'any',
      processIndex: 0,
      effect: draw.integer(1, 30),
      kind,
      magnitude: draw.unit(),
    }
  })
  const stepFaults = Array.from({ length: draw.integer(4, 9) }, (): Fault => {
    const step = draw.integer(0, effects.length - 1)
    const effectCounts = effects[step] ?? []
    const startNumber = draw.chance(0.7) ? 0 : draw.chance(0.7) ? 1 : 2
    const processIndex = draw.integer(0, Math.max(0, effectCounts.length - 1))
    return {
      step,
      startNumber,
      processIndex,
      effect: draw.integer(1, Math.max(1, effectCounts[processIndex] ?? 1)),
      kind: weightedKinds[draw.integer(0, weightedKinds.length - 1)] ?? 'crash after an effect',
      magnitude: draw.unit(),
    }
  })
  return [...stepFaults, ...sharedFaults]
}
