import { expect, test } from 'vitest'
import { timelineOf } from '../../journal/timeline.ts'
import { nameOf } from '../../names/urn.ts'
import { freshHead, type Head, type Outcome, type Verdict } from '../../records/head.ts'
import type {
  BlobHash,
  EpochMs,
  ExecutorId,
  LogNumber,
  OperationId,
  OwnerToken,
  WriterToken,
} from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { explainWait, type OperationWait } from './explain-wait.ts'
import { forecastUrnOf } from './forecast.fixture.ts'
import {
  findCriticalIds,
  listDecidedOperations,
  summarizeOperations,
  timeOperation,
} from './operation-times.ts'

/** Creates a delete of a plan. `join` operations have the names `join…`. */
function deleteOf(id: number, name: string, needs: number, ...releases: number[]): Operation {
  return {
    id: id as OperationId,
    op: name.startsWith('join') ? 'join' : 'delete',
    urn: forecastUrnOf(name),
    type: 'a:b:C',
    provider: '',
    effect: 'remove',
    needs,
    releases: releases as OperationId[],
    logical: true,
  }
}

/** Two leaves are deleted before the middle (over a join), and the middle before the root. */
const operations = [
  deleteOf(1, 'left', 0, 3),
  deleteOf(2, 'right', 0, 3),
  deleteOf(3, 'join-1', 2, 4),
  deleteOf(4, 'middle', 1, 5),
  deleteOf(5, 'root', 1),
]

type RecordedEnd = { readonly head: Head; readonly outcome?: Outcome }

const runningHead: Head = {
  ...freshHead,
  attempt: 1,
  owner: 'o' as OwnerToken,
  executor: 'e' as ExecutorId,
}

function endOf(verdict: Verdict, startedAt: number, endedAt: number): RecordedEnd {
  const head = { ...freshHead, attempt: 1, end: { verdict, attempt: 1 } }
  const times = { startedAt: startedAt as EpochMs, endedAt: endedAt as EpochMs }
  if (verdict === 'interrupted') return { head }
  return { head, outcome: { operation: 0 as OperationId, attempt: 1, verdict, ...times } }
}

function listTimes(ends: ReadonlyMap<number, RecordedEnd>) {
  const plan = { kind: 'plan', what: 'deletes', pages: ['p' as BlobHash], operations: 5 } as const
  const record = { number: 0 as LogNumber, writer: 'w' as WriterToken, at: 10 as EpochMs }
  const records = [{ ...record, decisions: [plan] }]
  const timeline = timelineOf({ records, getPage: () => operations, getEnd: () => undefined })
  const decided = timeline.flatMap(timed => listDecidedOperations(timed, new Map()))
  const known = {
    decidedOperations: new Map(decided.map(item => [item.operation.id, item])),
    ends: ends as ReadonlyMap<OperationId, RecordedEnd>,
  }
  const summary = summarizeOperations(known, 1)
  const criticalIds = findCriticalIds(known, summary)
  return decided
    .filter(({ operation }) => operation.op !== 'join')
    .toSorted((a, b) => a.operation.id - b.operation.id)
    .map(item => ({
      ...timeOperation(item, known, summary),
      isCritical: criticalIds.has(item.operation.id),
    }))
}

function explain(
  heads: ReadonlyMap<number, Head>,
  name: string,
  options: { readonly isStopped?: boolean; readonly dead?: readonly number[] } = {},
): OperationWait {
  const operation = operations.find(({ urn }) => nameOf(urn) === name)
  if (operation === undefined) throw new Error(`there is no operation ${name}`)
  return explainWait(operation, {
    needsOf: id => operations.filter(({ releases }) => releases.includes(id)),
    getHead: id => heads.get(id),
    parallel: 1,
    running: [...heads.values()].filter(({ owner }) => owner !== '').length,
    isStopped: options.isStopped ?? false,
    deadLetterIds: new Set(options.dead as OperationId[] | undefined),
  })
}

test('operation times have the stage, the wave and the critical path of each delete, without joins', () => {
  const times = listTimes(
    new Map([
      [1, endOf('succeeded', 20, 100)],
      [2, endOf('succeeded', 100, 300)],
      [3, { head: { ...freshHead, end: { verdict: 'succeeded', attempt: 0 } } }],
      [4, { head: { ...runningHead, arrived: [3 as OperationId] } }],
    ]),
  )
  expect(times.map(({ operation, stage, wave }) => [nameOf(operation.urn), stage, wave])).toEqual([
    ['left', 'ended', 1],
    ['right', 'ended', 1],
    ['middle', 'running', 2],
    ['root', 'waiting', 3],
  ])
  const [left, right, middle, root] = times
  expect(left).toMatchObject({ readyMs: 10, beganMs: 20, endedMs: 100, isCritical: false })
  // The only slot was in use until 100.
  expect(right).toMatchObject({ slotMs: 80, callMs: 200, isCritical: true, verdict: 'succeeded' })
  expect(middle).toMatchObject({ decidedMs: 10, readyMs: 300, attempts: 1 })
  expect(middle).not.toHaveProperty('beganMs')
  expect(root).not.toHaveProperty('readyMs')
})

test('an interrupted operation has ended without times', () => {
  const [left] = listTimes(new Map([[1, endOf('interrupted', 0, 0)]]))
  expect(left).toMatchObject({ stage: 'ended', verdict: 'interrupted', readyMs: 10 })
  expect(left).not.toHaveProperty('endedMs')
})

test('the wait of an operation names its missing needs in place of joins, with their failures', () => {
  const failed = endOf('failed', 20, 100).head
  const wait = explain(
    new Map([
      [1, failed],
      [2, runningHead],
    ]),
    'middle',
  )
  expect(wait).toMatchObject({
    kind: 'operations',
    count: 2,
    operations: [
      { id: 1, stage: 'ended', verdict: 'failed' },
      { id: 2, stage: 'running' },
    ],
  })
  expect(explain(new Map([[4, runningHead]]), 'middle')).toEqual({ kind: 'none' })
})

test('the wait of a ready operation is a stop, a dead letter, a slot, or its delivery', () => {
  expect(explain(new Map(), 'left')).toEqual({ kind: 'delivery' })
  expect(explain(new Map([[2, runningHead]]), 'left')).toEqual({ kind: 'slots', running: 1 })
  expect(explain(new Map([[2, runningHead]]), 'left', { dead: [1] })).toEqual({
    kind: 'undelivered',
  })
  expect(explain(new Map(), 'left', { isStopped: true, dead: [1] })).toEqual({ kind: 'stopped' })
})
