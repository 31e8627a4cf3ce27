import type { EpochMs } from './ids.ts'

/** A point in time of a stack: by the clock, or by a Lamport time of one of its deployments. */
export type PointInTime =
  | { readonly kind: 'time'; readonly at: EpochMs }
  | { readonly kind: 'lamport'; readonly deployment: number; readonly lamport: number }

const lamportForm = /^([1-9]\d*):(\d{1,15})$/
const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)?$/

/**
 * Parses an ISO time (local time without a zone) or `<deployment>:<Lamport time>`. Returns
 * undefined for anything else.
 */
export function parsePointInTime(text: string): PointInTime | undefined {
  const [, deployment, lamport] = lamportForm.exec(text) ?? []
  if (deployment !== undefined)
    return { kind: 'lamport', deployment: Number(deployment), lamport: Number(lamport) }
  const at = timeForm.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : { kind: 'time', at: at as EpochMs }
}
