import { kindsAfterAllEnds, type TimedRecord } from '../../journal/timeline.ts'
import type { CourseTimes } from '../../records/deployment-course.ts'
import type { Head, Outcome, Verdict } from '../../records/head.ts'
import type { OperationId } from '../../records/ids.ts'
import { isJoinOrHook, type Operation } from '../../records/operation.ts'
import { computeStepTimes, computeStepUsage } from './analyze-course.ts'
import { listNeedIds, type FinishedStep } from './course-steps.ts'
import type { SlotUsage } from './slot-usage.ts'

/**
 * The stage of an operation. `waiting`: an arrival is missing. `ready`: nothing is missing, and no
 * executor runs it. An interrupted operation has ended too.
 */
export type OperationStage = 'waiting' | 'ready' | 'running' | 'ended'

/**
 * An operation of a deployment with its times, in ms. Joins and hooks are left out. The inherited
 * fields are parts of `CourseTimes`: the call, the waits for a slot and for a limit, and retries.
 */
export interface OperationTimes
  extends Pick<CourseTimes, 'callMs' | 'slotMs' | 'limitMs' | 'retryMs'> {
  readonly operation: Operation
  readonly stage: OperationStage
  readonly verdict?: Verdict
  /** The attempts that were not given back. */
  readonly attempts: number
  /** The time of the decision that planned the operation. */
  readonly decidedMs: number
  /** The time from which the operation could begin. Absent while it waits. */
  readonly readyMs?: number
  /** Absent until an outcome is recorded, because only the outcome has the time of its begin. */
  readonly beganMs?: number
  readonly endedMs?: number
  readonly isCritical: boolean
  /**
   * The operation whose end made this one ready. Of several such operations, the one that ended
   * last.
   */
  readonly causeId?: OperationId
  /** The wave of a delete, from 1. Absent for operations that no plan of deletes contains. */
  readonly wave?: number
}

/**
 * A decided operation without its state, and the facts of its log record from which its times are
 * computed.
 */
export interface DecidedOperation {
  readonly operation: Operation
  readonly decidedMs: number
  /** The operations for which it waits or waited. */
  readonly needIds: readonly OperationId[]
  /** Whether its record was written after the ends of all earlier operations. */
  readonly beginsPhase: boolean
  readonly wave?: number
}

/**
 * The head of an operation, and its selected outcome if there is one. Both are kept without the
 * states of resources.
 */
export interface KnownHead {
  readonly head: Head
  readonly outcome?: Outcome
}

/** The operations of a deployment as far as its records were read, in the order of the log. */
export interface KnownOperations {
  readonly decidedOperations: ReadonlyMap<OperationId, DecidedOperation>
  readonly ends: ReadonlyMap<OperationId, KnownHead>
}

/** An operation with the time of its end. */
interface EndedOperation {
  readonly id: OperationId
  readonly endedMs: number
}

/** The facts of all known operations on which the times of one operation depend. */
export interface OperationSummary {
  readonly usage: SlotUsage
  /** The operation that ended last. Undefined before the first end. */
  readonly last: EndedOperation | undefined
  /** For each operation after the first phase: the operation that ended last before its phase. */
  readonly phaseCauses: ReadonlyMap<OperationId, EndedOperation>
}

/**
 * Returns the operations that a log record decided, without their states. Linear in the record.
 * `latestOperationIds`: the last operation of each URN before the record.
 */
export function listDecidedOperations(
  timed: TimedRecord,
  latestOperationIds: ReadonlyMap<string, OperationId>,
): readonly DecidedOperation[] {
  const needs = listNeedIds(timed.record, timed.operations, latestOperationIds)
  const waves = numberWaves([timed])
  const beginsPhase = timed.record.decisions.some(({ kind }) => kindsAfterAllEnds.has(kind))
  return timed.operations.map(({ operation: { state: _state, ...operation } }) => {
    const wave = waves.get(operation.id)
    return {
      operation,
      beginsPhase,
      decidedMs: timed.timeMs,
      needIds: needs.get(operation.id) ?? [],
      ...(wave === undefined ? {} : { wave }),
    }
  })
}

/** Summarizes all known operations. Linear, so callers use one summary for many operations. */
export function summarizeOperations(
  { decidedOperations, ends }: KnownOperations,
  parallel: number,
): OperationSummary {
  const intervals: { beganMs: number; endedMs: number }[] = []
  const phaseCauses = new Map<OperationId, EndedOperation>()
  let last: EndedOperation | undefined
  let phaseCause: EndedOperation | undefined
  let lastPhaseMs = -1
  for (const [id, { beginsPhase, decidedMs }] of decidedOperations) {
    // All operations of a record have the same `decidedMs`. Only the first of them begins a phase.
    if (beginsPhase && decidedMs !== lastPhaseMs) {
      phaseCause = last
      lastPhaseMs = decidedMs
    }
    if (phaseCause !== undefined) phaseCauses.set(id, phaseCause)
    const outcome = ends.get(id)?.outcome
    if (outcome === undefined) continue
    const { startedAt: beganMs, endedAt: endedMs } = outcome
    intervals.push({ beganMs, endedMs })
    if (endedMs > (last?.endedMs ?? -1)) last = { id, endedMs }
  }
  return { usage: computeStepUsage(intervals, parallel), last, phaseCauses }
}

/**
 * Returns the times of one operation. Apart from the summary, the cost does not grow with the
 * deployment. `isCritical` is false; see `findCriticalIds`.
 */
export function timeOperation(
  decidedOperation: DecidedOperation,
  known: KnownOperations,
  summary: OperationSummary,
): OperationTimes {
  const { operation, decidedMs, wave } = decidedOperation
  const { head, outcome } = known.ends.get(operation.id) ?? {}
  const stage = stageOf(operation, head)
  const cause = findLastNeed(decidedOperation, known) ?? summary.phaseCauses.get(operation.id)
  const fields = {
    operation,
    stage,
    decidedMs,
    isCritical: false,
    ...(head?.end === undefined ? {} : { verdict: head.end.verdict }),
    attempts: head === undefined ? 0 : head.attempt - head.givenBack,
    ...(cause === undefined ? {} : { causeId: cause.id }),
    ...(wave === undefined ? {} : { wave }),
  }
  const readyMs = Math.max(decidedMs, cause?.endedMs ?? 0)
  if (stage !== 'ended' || outcome === undefined) {
    const readyFields = stage === 'waiting' ? {} : { readyMs }
    return { ...fields, ...readyFields, callMs: 0, slotMs: 0, limitMs: 0, retryMs: 0 }
  }
  const beganMs = Math.max(readyMs, outcome.startedAt)
  const endedMs = Math.max(beganMs, outcome.endedAt)
  const step: FinishedStep = { operation, cause: undefined, decidedMs, readyMs, beganMs, endedMs }
  const { engineMs: _engineMs, ...parts } = computeStepTimes(step, {
    usage: summary.usage,
    input: { getEnd: id => known.ends.get(id) },
    cursorMs: readyMs,
  })
  return { ...fields, readyMs, beganMs, endedMs, ...parts }
}

/** Returns the path to the operation that ended last. Linear in its length. */
export function findCriticalIds(
  known: KnownOperations,
  summary: OperationSummary,
): ReadonlySet<OperationId> {
  const ids = new Set<OperationId>()
  for (let id = summary.last?.id; id !== undefined && !ids.has(id); ) {
    ids.add(id)
    const operation = known.decidedOperations.get(id)
    const cause = operation === undefined ? undefined : findLastNeed(operation, known)
    id = (cause ?? summary.phaseCauses.get(id))?.id
  }
  return ids
}

/** Returns the need that ended last. The needs of a join or hook count in its place. */
function findLastNeed(
  { needIds }: DecidedOperation,
  { decidedOperations, ends }: KnownOperations,
): EndedOperation | undefined {
  let last: EndedOperation | undefined
  const visited = new Set<OperationId>()
  const pendingIds = [...needIds]
  for (let id = pendingIds.pop(); id !== undefined; id = pendingIds.pop()) {
    if (visited.has(id)) continue
    visited.add(id)
    const need = decidedOperations.get(id)
    if (need !== undefined && isJoinOrHook(need.operation)) pendingIds.push(...need.needIds)
    const endedMs = ends.get(id)?.outcome?.endedAt
    if (endedMs !== undefined && endedMs > (last?.endedMs ?? -1)) last = { id, endedMs }
  }
  return last
}

/** Returns the stage of an operation. `head`: undefined before the first write to the operation. */
export function stageOf(
  { needs }: Pick<Operation, 'needs'>,
  head: Head | undefined,
): OperationStage {
  if (head?.end !== undefined) return 'ended'
  if (head !== undefined && head.owner !== '') return 'running'
  return (head?.arrived.length ?? 0) < needs ? 'waiting' : 'ready'
}

/**
 * Numbers the waves of planned deletes: a delete is one wave later than the last of its needs.
 * Relies on the order of a record's operations, in which each one follows those that release it.
 */
function numberWaves(timeline: readonly TimedRecord[]): ReadonlyMap<OperationId, number> {
  const waves = new Map<OperationId, number>()
  for (const { record, operations } of timeline) {
    if (!record.decisions.some(isPlanOfDeletes)) continue
    const wavesByNeed = new Map<OperationId, number>()
    for (const { operation } of operations) {
      const wave = wavesByNeed.get(operation.id) ?? 1
      const isStep = !isJoinOrHook(operation)
      if (isStep) waves.set(operation.id, wave)
      for (const id of operation.releases)
        wavesByNeed.set(id, Math.max(wavesByNeed.get(id) ?? 1, isStep ? wave + 1 : wave))
    }
  }
  return waves
}

function isPlanOfDeletes(decision: TimedRecord['record']['decisions'][number]): boolean {
  return decision.kind === 'plan' && decision.what === 'deletes'
}
