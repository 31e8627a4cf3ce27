import { hasFailed, type ShownOperation } from '../api/operation-views.ts'
import { resourceNameOf } from './operation-row.ts'

/**
 * The kinds of segments, in their order within a bar. The first four are waits: for other
 * operations (`needs`), a slot of `--parallel`, a limit of calls, and an executor (`queue`). The
 * last segment is the provider call, which has succeeded (`call`), runs, or has failed.
 */
export const segmentKinds = [
  'needs',
  'slot',
  'limit',
  'queue',
  'call',
  'running',
  'failed',
] as const

/** A part of a bar, as offsets from the start of the deployment in ms. */
export interface TimeLineSegment {
  readonly kind: (typeof segmentKinds)[number]
  readonly startMs: number
  readonly endMs: number
}

/** A bar of the time line. Its parts depend on the time, so they are computed when it is shown. */
export interface TimeLineRow {
  readonly key: string
  readonly operation: ShownOperation
  readonly name: string
  /** The begin of the call, or else of the wait, in ms from the start of the deployment. */
  readonly startMs: number
}

/** The times of the deployment, in ms since 1970. For an ended deployment, `nowMs` is its end. */
export interface TimeLineClock {
  readonly startedAt: number
  readonly nowMs: number
}

/** The rows of a time line in the order of their starts. */
export interface TimeLine {
  /** Returns the rows of operations. Rows of unchanged operations remain as they were. */
  readonly update: (operations: readonly ShownOperation[]) => readonly TimeLineRow[]
}

/**
 * Creates a time line without rows. An update sorts only the rows of changed operations, and merges
 * them into the others.
 */
export function createTimeLine(startedAt: number): TimeLine {
  const rowsById = new Map<number, TimeLineRow>()
  let sortedRows: readonly TimeLineRow[] = []
  return {
    update(operations) {
      const changedRows: TimeLineRow[] = []
      for (const operation of operations) {
        if (rowsById.get(operation.id)?.operation === operation) continue
        const row = createTimeLineRow(operation, startedAt)
        rowsById.set(operation.id, row)
        changedRows.push(row)
      }
      if (changedRows.length === 0) return sortedRows
      const unchangedRows = sortedRows.filter(row => rowsById.get(row.operation.id) === row)
      sortedRows = mergeByStart(
        unchangedRows,
        changedRows.toSorted((a, b) => a.startMs - b.startMs),
      )
      return sortedRows
    },
  }
}

function createTimeLineRow(operation: ShownOperation, startedAt: number): TimeLineRow {
  const { id, op, urn, decidedAt, readyAt, beganAt } = operation
  const startMs = (beganAt ?? readyAt ?? decidedAt) - startedAt
  return { key: String(id), operation, name: `${op} ${resourceNameOf(urn)}`, startMs }
}

/** Merges two lists that are sorted by their starts. Linear. */
function mergeByStart(
  left: readonly TimeLineRow[],
  right: readonly TimeLineRow[],
): readonly TimeLineRow[] {
  const merged: TimeLineRow[] = []
  let index = 0
  for (const row of left) {
    for (
      let next = right[index];
      next !== undefined && next.startMs < row.startMs;
      next = right[index]
    ) {
      merged.push(next)
      index += 1
    }
    merged.push(row)
  }
  return index === right.length ? merged : merged.concat(right.slice(index))
}

/**
 * Returns the ids of the operations on the critical path: the operation that ended last, the one
 * whose end made it ready, and so on. Linear.
 */
export function listCriticalIds(operations: readonly ShownOperation[]): ReadonlySet<number> {
  const causes = new Map<number, number | undefined>()
  let last: ShownOperation | undefined
  for (const operation of operations) {
    causes.set(operation.id, operation.causeId)
    if ((operation.endedAt ?? -1) > (last?.endedAt ?? -1)) last = operation
  }
  const ids = new Set<number>()
  for (let id = last?.id; id !== undefined && !ids.has(id); id = causes.get(id)) ids.add(id)
  return ids
}

/** Returns the time from the begin to the end, if both are recorded. Pure. */
export function durationMsOf({ beganAt, endedAt }: ShownOperation): number | undefined {
  return beganAt === undefined || endedAt === undefined ? undefined : endedAt - beganAt
}

/** Returns the time from the decision to the begin, or until now. Pure. */
export function waitedMsOf(operation: ShownOperation, nowMs: number): number {
  return Math.max(0, shownTimesOf(operation, nowMs).shownBeganAt - operation.decidedAt)
}

/** Returns the segments of a bar. Pure. */
export function listTimeLineSegments(
  operation: ShownOperation,
  { startedAt, nowMs }: TimeLineClock,
): readonly TimeLineSegment[] {
  return listSegments(operation, shownTimesOf(operation, nowMs)).map(
    ({ kind, startMs, endMs }) => ({
      kind,
      startMs: startMs - startedAt,
      endMs: endMs - startedAt,
    }),
  )
}

/** Returns the times of a bar, in ms since 1970. `untilAt` is its end. */
function shownTimesOf(
  { stage, decidedAt, readyAt, beganAt, endedAt }: ShownOperation,
  nowMs: number,
) {
  const untilAt = stage === 'ended' ? (endedAt ?? decidedAt) : nowMs
  const shownReadyAt = readyAt ?? untilAt
  const shownBeganAt = beganAt ?? (stage === 'running' ? shownReadyAt : untilAt)
  return { untilAt, shownReadyAt, shownBeganAt }
}

/** Returns the segments with times since 1970. Empty ones are omitted. */
function listSegments(
  operation: ShownOperation,
  times: {
    readonly shownReadyAt: number
    readonly shownBeganAt: number
    readonly untilAt: number
  },
): readonly TimeLineSegment[] {
  const { decidedAt, slotMs, limitMs, stage } = operation
  const { shownReadyAt, shownBeganAt, untilAt } = times
  const slotEnd = Math.min(shownReadyAt + slotMs, shownBeganAt)
  const limitEnd = Math.min(slotEnd + limitMs, shownBeganAt)
  const callKind = stage === 'running' ? 'running' : hasFailed(operation) ? 'failed' : 'call'
  const segments: readonly TimeLineSegment[] = [
    { kind: 'needs', startMs: decidedAt, endMs: shownReadyAt },
    { kind: 'slot', startMs: shownReadyAt, endMs: slotEnd },
    { kind: 'limit', startMs: slotEnd, endMs: limitEnd },
    { kind: 'queue', startMs: limitEnd, endMs: shownBeganAt },
    { kind: callKind, startMs: shownBeganAt, endMs: untilAt },
  ]
  const hasBegun = stage === 'running' || stage === 'ended'
  // Empty segments are left out, except for the call of an operation that has begun.
  return segments.filter(
    ({ kind, startMs, endMs }) => endMs > startMs || (hasBegun && kind === callKind),
  )
}
