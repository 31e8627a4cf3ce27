import { hasFailed, type ShownOperation } from '../api/operation-views.ts'
import { resourceNameOf } from './operation-row.ts'

/** The kinds of segments, in their order within a bar. */
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

/** A bar of the time line. Times are offsets from the start of the deployment in ms. */
export interface TimeLineRow {
  readonly key: string
  readonly operation: ShownOperation
  readonly name: string
  /** The begin of the call, or the time since which the operation waits. */
  readonly startMs: number
  /** The time from the begin to the end. Undefined without a recorded begin and end. */
  readonly durationMs: number | undefined
  /** The time from the decision to the begin, or until now. */
  readonly waitedMs: number
  readonly segments: readonly TimeLineSegment[]
}

/** Returns the bars of operations in the order of their starts. Pure. */
export function createTimeLine(
  operations: readonly ShownOperation[],
  { startedAt, nowMs }: { readonly startedAt: number; readonly nowMs: number },
): readonly TimeLineRow[] {
  const rows = operations.map((operation): TimeLineRow => {
    const { id, op, urn, decidedAt, readyAt, beganAt, endedAt, stage } = operation
    const isOpen = stage !== 'ended'
    const untilAt = isOpen ? nowMs : (endedAt ?? decidedAt)
    const shownReadyAt = readyAt ?? untilAt
    const shownBeganAt = beganAt ?? (stage === 'running' ? shownReadyAt : untilAt)
    const startAt = beganAt ?? readyAt ?? decidedAt
    return {
      key: String(id),
      operation,
      name: `${op} ${resourceNameOf(urn)}`,
      startMs: startAt - startedAt,
      durationMs: beganAt === undefined || endedAt === undefined ? undefined : endedAt - beganAt,
      waitedMs: Math.max(0, shownBeganAt - decidedAt),
      segments: listSegments(operation, { shownReadyAt, shownBeganAt, untilAt }).map(
        ({ kind, startMs, endMs }) => ({
          kind,
          startMs: startMs - startedAt,
          endMs: endMs - startedAt,
        }),
      ),
    }
  })
  return rows.toSorted((a, b) => a.startMs - b.startMs)
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
  // A short call stays visible.
  return segments.filter(
    ({ kind, startMs, endMs }) => endMs > startMs || (hasBegun && kind === callKind),
  )
}
