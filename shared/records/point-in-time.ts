import type { EpochMs } from './ids.ts'

/** A point in time of a stack: by the clock, or by a Lamport time of one of its deployments. */
export type PointInTime =
  | { readonly kind: 'time'; readonly timeMs: EpochMs }
  | { readonly kind: 'lamport'; readonly deployment: number; readonly lamport: number }

const lamportPattern = /^([1-9]\d*):(\d{1,15})$/
const timePattern = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/

/**
 * Parses a date and time such as `2026-01-31T12:30Z` (ISO 8601, local time without a zone), or
 * `<deployment>:<Lamport time>`. Returns undefined for anything else.
 */
export function parsePointInTime(text: string): PointInTime | undefined {
  const [, deployment, lamport] = lamportPattern.exec(text) ?? []
  if (deployment !== undefined)
    return { kind: 'lamport', deployment: Number(deployment), lamport: Number(lamport) }
  const timeMs = timePattern.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(timeMs) ? undefined : { kind: 'time', timeMs: timeMs as EpochMs }
}
