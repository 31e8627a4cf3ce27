import { limits } from '../../config/limits.ts'
import { packageOf } from '../../names/provider-reference.ts'
import type { EstimateSource } from '../../records/forecast.ts'
import { expectedMinutesByType } from '../executor/expected-durations.ts'
import { durationKeyOfCall, timedCallOf, type TimedCall } from '../executor/duration-key.ts'
import type { Step } from '../step.ts'

/** The duration of one successful provider call of an earlier deployment, in ms. */
export interface DurationSample {
  readonly call: TimedCall
  readonly urn: string
  readonly type: string
  readonly durationMs: number
}

/** Median durations in ms of earlier calls, by the call and a URN, type or package. */
export interface StepDurations {
  readonly byResource: ReadonlyMap<string, number>
  readonly byType: ReadonlyMap<string, number>
  readonly byPackage: ReadonlyMap<string, number>
  /** The median time in ms in which a deployment ran no call. Undefined without a sample. */
  readonly overheadMs?: number | undefined
}

/** The durations of a stack without a history. */
export const noDurations: StepDurations = {
  byResource: new Map(),
  byType: new Map(),
  byPackage: new Map(),
}

/** The samples of earlier deployments. `overheadsMs`: times in which a deployment ran no call. */
export interface DurationHistory {
  readonly samples: readonly DurationSample[]
  /** The last durations of slow operations by `durationKeyOfCall`, for types without a sample. */
  readonly slowOperations: ReadonlyMap<string, number>
  readonly overheadsMs: readonly number[]
}

/** An expected duration, and the source of the number. */
export interface DurationEstimate {
  readonly ms: number
  readonly source: EstimateSource
}

/** Computes the medians of a history. */
export function summarizeDurations({
  samples,
  slowOperations,
  overheadsMs,
}: DurationHistory): StepDurations {
  const mediansOf = (keyOf: (sample: DurationSample) => string): ReadonlyMap<string, number> => {
    const durationsByKey = Map.groupBy(samples, keyOf)
    return new Map(
      [...durationsByKey].map(([key, group]) => [
        key,
        computeMedian(group.map(({ durationMs }) => durationMs)),
      ]),
    )
  }
  return {
    byResource: mediansOf(({ call, urn }) => durationKeyOfCall(urn, call)),
    byType: new Map([
      ...slowOperations,
      ...mediansOf(({ call, type }) => durationKeyOfCall(type, call)),
    ]),
    byPackage: mediansOf(({ call, type }) => durationKeyOfCall(packageOf(type), call)),
    overheadMs: overheadsMs.length === 0 ? undefined : computeMedian(overheadsMs),
  }
}

/**
 * Estimates the duration of a step. Returns undefined for a step without a provider call. The most
 * specific known duration counts. Without any, the default of `limits` counts.
 */
export function estimateDuration(
  { op, urn, type, skipCall }: Pick<Step, 'op' | 'urn' | 'type' | 'skipCall'>,
  { byResource, byType, byPackage }: StepDurations,
): DurationEstimate | undefined {
  const call = timedCallOf(op)
  if (call === undefined || skipCall) return undefined
  const minutes = call === 'read' ? undefined : expectedMinutesByType.get(type)
  const candidates: readonly (readonly [EstimateSource, number | undefined])[] = [
    ['resource', byResource.get(durationKeyOfCall(urn, call))],
    ['type', byType.get(durationKeyOfCall(type, call))],
    ['documentation', minutes === undefined ? undefined : minutes * 60_000],
    ['package', byPackage.get(durationKeyOfCall(packageOf(type), call))],
  ]
  // At least 1 ms, because a node of duration 0 gets no slot. A call may take less time than the
  // clock can measure.
  for (const [source, ms] of candidates)
    if (ms !== undefined) return { ms: Math.max(ms, 1), source }
  return { ms: limits.expectedOperationMs, source: 'default' }
}

/**
 * Returns the part of a period that no interval covers, in ms. Intervals may overlap, and may
 * exceed the period.
 */
export function measureUncoveredMs(
  period: readonly [startMs: number, endMs: number],
  intervals: readonly (readonly [startMs: number, endMs: number])[],
): number {
  const [periodStartMs, periodEndMs] = period
  let coveredUntilMs = periodStartMs
  let uncoveredMs = 0
  for (const [startMs, endMs] of intervals.toSorted(([a], [b]) => a - b)) {
    uncoveredMs += Math.max(0, Math.min(startMs, periodEndMs) - coveredUntilMs)
    coveredUntilMs = Math.max(coveredUntilMs, endMs)
  }
  return uncoveredMs + Math.max(0, periodEndMs - coveredUntilMs)
}

/** Returns the median of some numbers, 0 for none. */
export function computeMedian(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((left, right) => left - right)
  const middle = Math.floor(sorted.length / 2)
  const upper = sorted[middle] ?? 0
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2
}
