import type { Head, Outcome } from '../records/head.ts'
import type { BlobHash, EpochMs, OperationId } from '../records/ids.ts'
import type { Decision, LogRecord } from '../records/log.ts'
import { isUnsent, type Operation, type StateReference } from '../records/operation.ts'
import type { StoredResource } from '../state/stored.ts'
import { readListMapField, readTextField, readTextListField } from '../state/stored-fields.ts'

/** An instant of a deployment: by the clock, or by the Lamport time of its entries. */
export type Instant =
  | { readonly kind: 'time'; readonly at: EpochMs }
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

/** Begin and end of an operation, never before those of its dependencies. */
export interface TimedOperation {
  readonly operation: Operation
  readonly lamport: number
  readonly beganAt: EpochMs
  /** Absent while the end is unknown. */
  readonly endedAt?: EpochMs
}

/** A log record with its place on the timeline. */
export interface TimedRecord {
  readonly record: LogRecord
  readonly lamport: number
  readonly at: EpochMs
  /** The operations of the record that executors ran. */
  readonly operations: readonly TimedOperation[]
}

/** Decisions that come after the end of all running operations. */
const waitsForAll: ReadonlySet<Decision['kind']> = new Set(['pin', 'plan', 'closing'])

/**
 * Computes the timeline of a log. Lamport times depend on the records alone: one for each record,
 * then one for each rank of its dependent operations. An end thus comes after the ends it waited
 * for, and all ends of a record before the next record. Clock times come from the processes that
 * wrote them, and are moved behind their causes, because the clocks of processes differ. Linear.
 */
export function timelineOf(input: TimelineInput): readonly TimedRecord[] {
  const latest = new Map<string, OperationId>()
  const ended = new Map<OperationId, number>()
  const timed: TimedRecord[] = []
  let lamport = 1
  let at = 0
  let last = 0
  for (const record of input.records) {
    const causes = record.decisions.flatMap(decision => causesOf(decision, latest))
    at = Math.max(at, record.at, ...causes.map(id => ended.get(id) ?? 0))
    if (record.decisions.some(({ kind }) => waitsForAll.has(kind))) at = Math.max(at, last)
    const planned = record.decisions.flatMap(decision =>
      executedOperationsOf(decision, input.getPage),
    )
    const operations = timeOperations(planned, { input, at, lamport })
    for (const { operation, endedAt } of operations) {
      latest.set(operation.urn, operation.id)
      if (endedAt === undefined) continue
      ended.set(operation.id, endedAt)
      last = Math.max(last, endedAt)
    }
    timed.push({ record, lamport, at: at as EpochMs, operations })
    lamport = 1 + operations.reduce((most, one) => Math.max(most, one.lamport), lamport)
  }
  return timed
}

/** The decisions and ends of a deployment at an instant: a closed set. */
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
  end: TimelineInput['getEnd'],
  instant: Instant,
): TimelineCut {
  const has = (one: { readonly lamport: number }, at: EpochMs): boolean =>
    instant.kind === 'time' ? at <= instant.at : one.lamport <= instant.lamport
  const kept = timeline.filter(one => has(one, one.at))
  const ended = new Set<OperationId>()
  const begun = new Set<OperationId>()
  for (const one of kept.flatMap(({ operations }) => operations)) {
    if (has(one, one.beganAt)) begun.add(one.operation.id)
    if (one.endedAt !== undefined && has(one, one.endedAt)) ended.add(one.operation.id)
  }
  return {
    records: kept.map(({ record }) => record),
    getEnd: operation => {
      const found = end(operation)
      if (found === undefined || ended.has(operation)) return found
      if (!begun.has(operation)) return undefined
      const { end: _later, ...head } = found.head
      return { head }
    },
  }
}

/** Returns the operations of a decision that executors run. */
function executedOperationsOf(
  decision: Decision,
  page: (hash: BlobHash) => readonly Operation[],
): readonly Operation[] {
  if (decision.kind === 'registration') return decision.operations
  if (decision.kind === 'retried') return [decision.operation]
  if (decision.kind === 'plan') return decision.pages.flatMap(page)
  return []
}

/** Returns the operations on whose ends a decision is based. */
function causesOf(
  decision: Decision,
  latest: ReadonlyMap<string, OperationId>,
): readonly OperationId[] {
  if (decision.kind === 'registration')
    return decision.operations.flatMap(one => precedingOperationsOf(one, latest))
  if (decision.kind === 'settled')
    return precedingOperationsOf({ ...decision.operation, state: decision.state }, latest)
  if (decision.kind === 'outputs')
    return precedingOperationsOf({ old: decision.target, state: decision.state }, latest)
  return []
}

function precedingOperationsOf(
  {
    old,
    state,
  }: { readonly old?: StateReference | undefined; readonly state?: StoredResource | undefined },
  latest: ReadonlyMap<string, OperationId>,
): readonly OperationId[] {
  const named = state === undefined ? [] : neededUrnsOf(state)
  const found = named.flatMap(urn => latest.get(urn) ?? [])
  return old?.kind === 'operation' ? [old.operation, ...found] : found
}

/** Returns every resource that a state needs, itself included. */
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

/** Times the operations of one record, each after those that release it. */
function timeOperations(
  planned: readonly Operation[],
  from: { readonly input: TimelineInput; readonly at: number; readonly lamport: number },
): readonly TimedOperation[] {
  const byId = new Map(planned.map(operation => [operation.id, operation]))
  const missing = new Map(planned.map(({ id }) => [id, 0]))
  for (const { releases } of planned)
    for (const id of releases) missing.set(id, (missing.get(id) ?? 0) + 1)
  const readyAt = new Map<OperationId, { lamport: number; at: number }>()
  const open = planned.filter(({ id }) => missing.get(id) === 0)
  const timed: TimedOperation[] = []
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const ready = readyAt.get(next.id) ?? { lamport: from.lamport, at: from.at }
    const one = timeOperation(next, ready, from.input)
    timed.push(one)
    for (const id of next.releases) {
      const before = readyAt.get(id) ?? ready
      readyAt.set(id, {
        lamport: Math.max(before.lamport, one.lamport),
        at: Math.max(before.at, one.endedAt ?? one.beganAt),
      })
      const left = (missing.get(id) ?? 1) - 1
      missing.set(id, left)
      const released = byId.get(id)
      if (left === 0 && released !== undefined) open.push(released)
    }
  }
  return timed
}

function timeOperation(
  operation: Operation,
  ready: { readonly lamport: number; readonly at: number },
  input: TimelineInput,
): TimedOperation {
  const found = input.getEnd(operation.id)
  const beganAt = Math.max(ready.at, found?.outcome?.startedAt ?? 0)
  const isKnown = found?.head.end !== undefined && found.outcome !== undefined
  const isJoin = isUnsent(operation)
  const endedAt = Math.max(beganAt, found?.outcome?.endedAt ?? 0)
  return {
    operation,
    lamport: ready.lamport + 1,
    beganAt: beganAt as EpochMs,
    ...(isKnown || isJoin ? { endedAt: endedAt as EpochMs } : {}),
  }
}
