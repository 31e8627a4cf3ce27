import type { Head, Outcome } from '../records/head.ts'
import type { BlobHash, EpochMs, OperationId } from '../records/ids.ts'
import type { Decision, LogRecord } from '../records/log.ts'
import { isJoinOrHook, type Operation, type StateReference } from '../records/operation.ts'
import type { StoredResource } from '../state/stored.ts'
import { readListMapField, readTextField, readTextListField } from '../state/stored-fields.ts'

/** An instant of a deployment: by the clock, or by the Lamport time of its log records and ends. */
export type Instant =
  | { readonly kind: 'time'; readonly timeMs: EpochMs }
  | { readonly kind: 'lamport'; readonly lamport: number }

/** The input of a timeline. */
export interface TimelineInput {
  /** The complete log. */
  readonly records: readonly LogRecord[]
  readonly getPage: (hash: BlobHash) => readonly Operation[]
  readonly getEnd: (
    operation: OperationId,
  ) => { readonly head: Head; readonly outcome?: Outcome } | undefined
}

/**
 * The begin and end of an operation. Neither is earlier than the ends of the operation's
 * dependencies.
 */
export interface TimedOperation {
  readonly operation: Operation
  /** The Lamport time of begin and end alike. */
  readonly lamport: number
  readonly beganAt: EpochMs
  /**
   * Absent if the operation has no outcome: it has not ended, or was interrupted. Always set for a
   * join or hook, which has no outcome.
   */
  readonly endedAt?: EpochMs
}

/** A log record with its times. */
export interface TimedRecord {
  readonly record: LogRecord
  readonly lamport: number
  readonly timeMs: EpochMs
  /** The operations that the record planned. Settled ones are omitted. */
  readonly operations: readonly TimedOperation[]
}

/** Kinds of decisions that the timeline places after the ends of all earlier operations. */
export const kindsAfterAllEnds: ReadonlySet<Decision['kind']> = new Set(['pin', 'plan', 'closing'])

/**
 * Computes the timeline of a log. Lamport times depend on the records alone. Each record has a
 * Lamport time, and the ends of its operations have later ones. An end comes after the ends that
 * its operation waited for, and all ends of a record come before the next record. Clock times are
 * those of the processes that wrote the records. The clocks of processes differ, so a time before
 * its cause is replaced by the time of the cause. Linear.
 */
export function timelineOf(input: TimelineInput): readonly TimedRecord[] {
  const latestOperationIds = new Map<string, OperationId>()
  const endTimesMs = new Map<OperationId, number>()
  const timedRecords: TimedRecord[] = []
  let lamport = 1
  let timeMs = 0
  let lastEndMs = 0
  for (const record of input.records) {
    const causes = record.decisions.flatMap(decision => causesOf(decision, latestOperationIds))
    timeMs = Math.max(timeMs, record.at, ...causes.map(id => endTimesMs.get(id) ?? 0))
    if (record.decisions.some(({ kind }) => kindsAfterAllEnds.has(kind)))
      timeMs = Math.max(timeMs, lastEndMs)
    const plannedOperations = record.decisions.flatMap(decision =>
      plannedOperationsOf(decision, input.getPage),
    )
    const operations = timeOperations(plannedOperations, { input, timeMs, lamport })
    for (const { operation, endedAt } of operations) {
      latestOperationIds.set(operation.urn, operation.id)
      if (endedAt === undefined) continue
      endTimesMs.set(operation.id, endedAt)
      lastEndMs = Math.max(lastEndMs, endedAt)
    }
    timedRecords.push({ record, lamport, timeMs: timeMs as EpochMs, operations })
    lamport =
      1 +
      operations.reduce(
        (highest, timedOperation) => Math.max(highest, timedOperation.lamport),
        lamport,
      )
  }
  return timedRecords
}

/** The log records of a deployment up to an instant, and the ends at that instant. */
export interface TimelineCut {
  readonly records: readonly LogRecord[]
  readonly getEnd: TimelineInput['getEnd']
}

/**
 * Returns the records and ends of a deployment at an instant. An operation that had begun but not
 * ended appears as begun.
 */
export function cutTimeline(
  timeline: readonly TimedRecord[],
  getEnd: TimelineInput['getEnd'],
  instant: Instant,
): TimelineCut {
  const isReached = (timed: { readonly lamport: number }, timeMs: EpochMs): boolean =>
    instant.kind === 'time' ? timeMs <= instant.timeMs : timed.lamport <= instant.lamport
  const reachedRecords = timeline.filter(timedRecord => isReached(timedRecord, timedRecord.timeMs))
  const endedIds = new Set<OperationId>()
  const begunIds = new Set<OperationId>()
  for (const timedOperation of reachedRecords.flatMap(({ operations }) => operations)) {
    if (isReached(timedOperation, timedOperation.beganAt)) begunIds.add(timedOperation.operation.id)
    if (timedOperation.endedAt !== undefined && isReached(timedOperation, timedOperation.endedAt))
      endedIds.add(timedOperation.operation.id)
  }
  return {
    records: reachedRecords.map(({ record }) => record),
    getEnd: operation => {
      const operationEnd = getEnd(operation)
      if (operationEnd === undefined || endedIds.has(operation)) return operationEnd
      if (!begunIds.has(operation)) return undefined
      const { end: _laterEnd, ...head } = operationEnd.head
      return { head }
    },
  }
}

/** Returns the operations that a decision plans. Settled ones are omitted. */
function plannedOperationsOf(
  decision: Decision,
  getPage: (hash: BlobHash) => readonly Operation[],
): readonly Operation[] {
  if (decision.kind === 'registration') return decision.operations
  if (decision.kind === 'retried') return [decision.operation]
  if (decision.kind === 'plan') return decision.pages.flatMap(getPage)
  return []
}

/**
 * Returns the operations whose ends a decision waited for. `latestOperationIds`: the last operation
 * of each URN before the decision.
 */
export function causesOf(
  decision: Decision,
  latestOperationIds: ReadonlyMap<string, OperationId>,
): readonly OperationId[] {
  if (decision.kind === 'registration')
    return decision.operations.flatMap(operation =>
      precedingOperationsOf(operation, latestOperationIds),
    )
  if (decision.kind === 'settled')
    return precedingOperationsOf(
      { ...decision.operation, state: decision.state },
      latestOperationIds,
    )
  if (decision.kind === 'outputs')
    return precedingOperationsOf(
      { old: decision.target, state: decision.state },
      latestOperationIds,
    )
  return []
}

function precedingOperationsOf(
  {
    old,
    state,
  }: { readonly old?: StateReference | undefined; readonly state?: StoredResource | undefined },
  latestOperationIds: ReadonlyMap<string, OperationId>,
): readonly OperationId[] {
  const neededUrns = state === undefined ? [] : neededUrnsOf(state)
  const precedingIds = neededUrns.flatMap(urn => latestOperationIds.get(urn) ?? [])
  return old?.kind === 'operation' ? [old.operation, ...precedingIds] : precedingIds
}

/** Returns the URN of a state and those of all resources that it references. */
function neededUrnsOf(state: StoredResource): readonly string[] {
  return [
    state.urn,
    readTextField(state, 'parent'),
    readTextField(state, 'deletedWith'),
    readTextField(state, 'provider').replace(/::[^:]*$/, ''),
    ...readTextListField(state, 'dependencies'),
    ...readTextListField(state, 'replaceWith'),
    ...[...readListMapField(state, 'propertyDependencies').values()].flat(),
  ]
}

/**
 * Computes the times of the operations of one record. Each operation begins after those that
 * release it.
 */
function timeOperations(
  operations: readonly Operation[],
  start: { readonly input: TimelineInput; readonly timeMs: number; readonly lamport: number },
): readonly TimedOperation[] {
  const operationsById = new Map(operations.map(operation => [operation.id, operation]))
  const missingArrivalCounts = new Map(operations.map(({ id }) => [id, 0]))
  for (const { releases } of operations)
    for (const id of releases) missingArrivalCounts.set(id, (missingArrivalCounts.get(id) ?? 0) + 1)
  const startTimes = new Map<OperationId, { lamport: number; timeMs: number }>()
  const readyOperations = operations.filter(({ id }) => missingArrivalCounts.get(id) === 0)
  const timedOperations: TimedOperation[] = []
  for (
    let readyOperation = readyOperations.pop();
    readyOperation !== undefined;
    readyOperation = readyOperations.pop()
  ) {
    const operationStart = startTimes.get(readyOperation.id) ?? {
      lamport: start.lamport,
      timeMs: start.timeMs,
    }
    const timedOperation = timeOperation(readyOperation, operationStart, start.input)
    timedOperations.push(timedOperation)
    for (const id of readyOperation.releases) {
      const previousStart = startTimes.get(id) ?? operationStart
      startTimes.set(id, {
        lamport: Math.max(previousStart.lamport, timedOperation.lamport),
        timeMs: Math.max(previousStart.timeMs, timedOperation.endedAt ?? timedOperation.beganAt),
      })
      const missingCount = (missingArrivalCounts.get(id) ?? 1) - 1
      missingArrivalCounts.set(id, missingCount)
      const releasedOperation = operationsById.get(id)
      if (missingCount === 0 && releasedOperation !== undefined)
        readyOperations.push(releasedOperation)
    }
  }
  return timedOperations
}

function timeOperation(
  operation: Operation,
  start: { readonly lamport: number; readonly timeMs: number },
  input: TimelineInput,
): TimedOperation {
  const operationEnd = input.getEnd(operation.id)
  const beganAt = Math.max(start.timeMs, operationEnd?.outcome?.startedAt ?? 0)
  const hasEndTime = operationEnd?.head.end !== undefined && operationEnd.outcome !== undefined
  const endedAt = Math.max(beganAt, operationEnd?.outcome?.endedAt ?? 0)
  return {
    operation,
    lamport: start.lamport + 1,
    beganAt: beganAt as EpochMs,
    // A join or hook has no outcome, so its begin counts as its end.
    ...(hasEndTime || isJoinOrHook(operation) ? { endedAt: endedAt as EpochMs } : {}),
  }
}
