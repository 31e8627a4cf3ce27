import {
  causesOf,
  kindsAfterAllEnds,
  type TimedOperation,
  type TimedRecord,
} from '../../journal/timeline.ts'
import type { OperationId } from '../../records/ids.ts'
import { isJoinOrHook, type Operation } from '../../records/operation.ts'

/**
 * A step that has ended. `cause`: the step whose end made this step ready. Of several steps, it is
 * the one that ended last. A join or hook is not a step, so its own cause counts in its
 * place. Times are in ms.
 */
export interface FinishedStep {
  readonly operation: Operation
  readonly cause: FinishedStep | undefined
  /** The time of the decision that planned the step. */
  readonly decidedMs: number
  /** The time from which the step could begin: it was decided, and all its needs had ended. */
  readonly readyMs: number
  readonly beganMs: number
  readonly endedMs: number
}

/** A step without a recorded end: it waits, is ready, runs, or was interrupted. */
export type OpenStep = Pick<FinishedStep, 'operation' | 'cause' | 'decidedMs'>

/** The steps of a timeline, in the order of the log. */
export interface TimelineSteps {
  readonly ended: readonly FinishedStep[]
  readonly open: readonly OpenStep[]
}

/** Returns the steps of a timeline. Linear. */
export function listTimelineSteps(timeline: readonly TimedRecord[]): TimelineSteps {
  const steps: FinishedStep[] = []
  const open: OpenStep[] = []
  const latestOperationIds = new Map<string, OperationId>()
  /**
   * The last step before the end of an operation: its own step, or its cause if it is a join or
   * hook.
   */
  const lastStepById = new Map<OperationId, FinishedStep>()
  let lastStep: FinishedStep | undefined
  /** The step after which the current phase began. */
  let phaseCause: FinishedStep | undefined
  for (const { record, timeMs, operations } of timeline) {
    if (record.decisions.some(({ kind }) => kindsAfterAllEnds.has(kind))) phaseCause = lastStep
    const needs = listNeedIds(record, operations, latestOperationIds)
    for (const timedOperation of operations) {
      const { id, urn } = timedOperation.operation
      const causes = (needs.get(id) ?? []).flatMap(need => lastStepById.get(need) ?? [])
      const cause = causes.reduce<FinishedStep | undefined>(laterOf, phaseCause)
      const step = toFinishedStep(timedOperation, cause, timeMs)
      if (step !== undefined) steps.push(step)
      else if (!isJoinOrHook(timedOperation.operation))
        open.push({ operation: timedOperation.operation, cause, decidedMs: timeMs })
      const stepAtEnd = step ?? cause
      if (stepAtEnd !== undefined) lastStepById.set(id, stepAtEnd)
      lastStep = laterOf(lastStep, stepAtEnd)
      latestOperationIds.set(urn, id)
    }
  }
  return { ended: steps, open }
}

/**
 * Maps each operation of a record to those that it waited for. These are the operations that
 * release it, or else those whose ends its decision waited for. `latestOperationIds`: the last
 * operation of each URN before the record.
 */
export function listNeedIds(
  { decisions }: TimedRecord['record'],
  operations: readonly TimedOperation[],
  latestOperationIds: ReadonlyMap<string, OperationId>,
): ReadonlyMap<OperationId, readonly OperationId[]> {
  const needs = new Map<OperationId, readonly OperationId[]>()
  for (const decision of decisions) {
    if (decision.kind === 'retried') needs.set(decision.operation.id, [decision.of])
    if (decision.kind !== 'registration') continue
    const ids = causesOf(decision, latestOperationIds)
    for (const { id } of decision.operations) needs.set(id, ids)
  }
  for (const [id, ids] of indexReleases(operations)) needs.set(id, ids)
  return needs
}

/** Maps each operation of a record to the operations that release it. */
function indexReleases(
  operations: readonly TimedOperation[],
): ReadonlyMap<OperationId, readonly OperationId[]> {
  const needs = new Map<OperationId, OperationId[]>()
  for (const { operation } of operations)
    for (const released of releasedIdsOf(operation)) {
      const ids = needs.get(released)
      if (ids === undefined) needs.set(released, [operation.id])
      else ids.push(operation.id)
    }
  return needs
}

function releasedIdsOf({ releases, barrier }: Operation): readonly OperationId[] {
  return barrier === undefined ? releases : [...releases, barrier]
}

function toFinishedStep(
  { operation, beganAt, endedAt }: TimedOperation,
  cause: FinishedStep | undefined,
  decidedMs: number,
): FinishedStep | undefined {
  if (isJoinOrHook(operation) || endedAt === undefined) return undefined
  const readyMs = Math.min(Math.max(decidedMs, cause?.endedMs ?? 0), beganAt)
  return { operation, cause, decidedMs, readyMs, beganMs: beganAt, endedMs: endedAt }
}

/** Returns the step that ended later, or the only one. */
function laterOf(
  left: FinishedStep | undefined,
  right: FinishedStep | undefined,
): FinishedStep | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return right.endedMs > left.endedMs ? right : left
}
