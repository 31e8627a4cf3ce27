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

/** What a time line is made of. */
export interface TimelineInput {
  /** The whole log. */
  readonly records: readonly LogRecord[]
  readonly getPage: (hash: BlobHash) => readonly Operation[]
  readonly getEnd: (
    operation: OperationId,
  ) => { readonly head: Head; readonly outcome?: Outcome } | undefined
}

/** When an operation began and ended, never before what it waited for. */
export interface TimedOperation {
  readonly operation: Operation
  readonly lamport: number
  readonly beganAt: EpochMs
  /** Absent while nobody knows its end. */
  readonly endedAt?: EpochMs
}

/** One record of the log in its place. */
export interface TimedRecord {
  readonly record: LogRecord
  readonly lamport: number
  readonly at: EpochMs
  /** What executors did of it. */
  readonly operations: readonly TimedOperation[]
}

/** Decisions before which everything that runs has ended. */
const waitsForAll: ReadonlySet<Decision['kind']> = new Set(['pin', 'plan', 'closing'])

/**
 * A log in time. Lamport times are counted from the records alone: one for each record, and behind
 * it one for each rank of the operations in it that wait for each other, so an end comes after the
 * ends that it waited for, and all ends of a record before the next one. Clock times are those of
 * the processes that wrote, moved back behind what they came after: another process's clock may be
 * ahead. Linear.
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

/** What a deployment had decided and done at an instant: a closed set. */
export interface TimelineCut {
  readonly records: readonly LogRecord[]
  readonly getEnd: TimelineInput['getEnd']
}

/**
 * The records of an instant: those that were written, with the ends that were there. An operation
 * that had begun and not ended is begun in it.
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

/** The operations of a decision that executors run. */
function executedOperationsOf(
  decision: Decision,
  page: (hash: BlobHash) => readonly Operation[],
): readonly Operation[] {
  if (decision.kind === 'registration') return decision.operations
  if (decision.kind === 'retried') return [decision.operation]
  if (decision.kind === 'plan') return decision.pages.flatMap(page)
  return []
}

/** The operations whose ends a decision was made upon. */
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

/** Every resource that a state needs, itself included. */
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

/** The operations of one record, each after those that release it. */
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
