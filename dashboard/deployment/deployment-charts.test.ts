import { expect, test } from 'vitest'
import type { ShownOperation } from '../api/operation-views.ts'
import { waitTextOf } from '../format/wait-status.ts'
import { createOperationStore } from './operation-store.ts'
import { createRow, keepAncestors } from './operation-row.ts'
import { createRowTable } from './row-table.ts'
import {
  createTimeLine,
  durationMsOf,
  listCriticalIds,
  listTimeLineSegments,
  waitedMsOf,
} from './time-line.ts'
import { countWaves } from './wave-counts.ts'

/** Creates an operation that was decided 100 ms after the start of the deployment, at 1,000. */
function operationOf(name: string, fields: Partial<ShownOperation> = {}): ShownOperation {
  const times = { decidedAt: 1_100, callMs: 0, slotMs: 0, limitMs: 0, retryMs: 0 }
  const urn = `urn:pulumi:dev::shop::a:b:C::${name}`
  return {
    id: 1,
    op: 'delete',
    urn,
    stage: 'ended',
    attempts: 1,
    ...times,
    ...fields,
  }
}

const clock = { startedAt: 1_000, nowMs: 2_000 }

test('a bar of the time line has distinct segments for needs, slots, limits, queue and call', () => {
  const times = { readyAt: 1_200, beganAt: 1_500, endedAt: 1_900, slotMs: 100, limitMs: 150 }
  const operation = operationOf('a', { verdict: 'succeeded', ...times })
  const [row] = createTimeLine(clock.startedAt).update([operation])
  expect(row).toMatchObject({ name: 'delete a', startMs: 500 })
  expect([durationMsOf(operation), waitedMsOf(operation, clock.nowMs)]).toEqual([400, 400])
  expect(listTimeLineSegments(operation, clock)).toEqual([
    { kind: 'needs', startMs: 100, endMs: 200 },
    { kind: 'slot', startMs: 200, endMs: 300 },
    { kind: 'limit', startMs: 300, endMs: 450 },
    { kind: 'queue', startMs: 450, endMs: 500 },
    { kind: 'call', startMs: 500, endMs: 900 },
  ])
})

test('bars of open operations reach until now, in the order of their starts', () => {
  const rows = createTimeLine(clock.startedAt).update([
    operationOf('running', { id: 2, stage: 'running', readyAt: 1_300 }),
    operationOf('waiting', { id: 3, stage: 'waiting' }),
  ])
  const segments = rows.map(({ operation }) => listTimeLineSegments(operation, clock))
  expect(segments.map(parts => parts.map(({ kind, endMs }) => [kind, endMs]))).toEqual([
    [['needs', 1_000]],
    [
      ['needs', 300],
      ['running', 1_000],
    ],
  ])
})

test('an update of the time line keeps the rows of unchanged operations, and moves changed ones', () => {
  const timeLine = createTimeLine(clock.startedAt)
  const store = createOperationStore()
  const open = { stage: 'waiting' } as const
  store.merge([operationOf('a', { ...open, id: 1 }), operationOf('b', { ...open, id: 2 })])
  const before = timeLine.update(store.read())
  expect(timeLine.update(store.read())).toBe(before)
  store.merge([operationOf('a', { id: 1, beganAt: 1_900, endedAt: 1_950 })])
  const after = timeLine.update(store.read())
  expect(after.map(({ name }) => name)).toEqual(['delete b', 'delete a'])
  expect(after[0]).toBe(before[1])
})

test('the critical path leads from the operation that ended last over its causes', () => {
  const ids = listCriticalIds([
    operationOf('a', { id: 1, endedAt: 1_200 }),
    operationOf('b', { id: 2, endedAt: 1_300 }),
    operationOf('c', { id: 3, endedAt: 1_500, causeId: 1 }),
    operationOf('d', { id: 4, stage: 'running', causeId: 3 }),
  ])
  expect([...ids]).toEqual([3, 1])
})

test('waves count their deletes by state', () => {
  const counts = countWaves([
    operationOf('a', { wave: 2, stage: 'waiting' }),
    operationOf('b', { wave: 1, verdict: 'succeeded' }),
    operationOf('c', { wave: 1, verdict: 'failed' }),
    operationOf('d', { wave: 1, stage: 'running' }),
    operationOf('e'),
  ])
  expect(counts).toEqual([
    { wave: 1, total: 3, done: 1, running: 1, failed: 1 },
    { wave: 2, total: 1, done: 0, running: 0, failed: 0 },
  ])
})

test('each planned operation without an event has a row, and the row of an event replaces it', () => {
  const provider = 'urn:pulumi:dev::shop::pulumi:providers:a::default_1_0_0'
  const table = createRowTable()
  table.setReported(createRow({ op: 'delete', urn: operationOf('a').urn, type: 'a:b:C' }, 'done'))
  table.setReported(createRow({ op: 'same', urn: operationOf('c').urn, type: 'a:b:C' }, 'done'))
  table.addOperations([
    operationOf('a', { stage: 'ready' }),
    operationOf('b', { stage: 'waiting' }),
    operationOf('c', { op: 'refresh', stage: 'ready' }),
    operationOf('d', { stage: 'running' }),
    operationOf('default', { urn: provider, stage: 'waiting' }),
  ])
  expect(table.listRows().map(({ name, state, type }) => [name, state, type])).toEqual([
    ['a', 'done', 'a:b:C'],
    ['c', 'done', 'a:b:C'],
    ['b', 'waiting', 'a:b:C'],
    ['d', 'running', 'a:b:C'],
  ])
  expect(table.readCounts()).toMatchObject({ done: 1, unchanged: 1, waiting: 1, running: 1 })
  // The event of a planned operation replaces its row.
  table.setReported(
    createRow({ op: 'delete', urn: operationOf('b').urn, type: 'a:b:C' }, 'running'),
  )
  expect(table.listRows()).toHaveLength(4)
  expect(table.readCounts()).toMatchObject({ waiting: 0, running: 2 })
})

test('operations whose events are newer than their records are stale until they are read again', () => {
  const table = createRowTable()
  const store = createOperationStore()
  const read = (...operations: readonly ShownOperation[]): void => {
    store.merge(operations)
    table.addOperations(operations)
  }
  const report = (name: string, state: 'running' | 'done'): void =>
    table.setReported(createRow({ op: 'delete', urn: operationOf(name).urn, type: 'a:b:C' }, state))
  read(
    operationOf('a', { id: 1, stage: 'ready' }),
    operationOf('b', { id: 2, stage: 'waiting' }),
    operationOf('c', { id: 3, op: 'refresh', stage: 'ready' }),
  )
  expect(table.listStale(store)).toEqual([])
  report('a', 'running')
  expect(table.listStale(store)).toEqual([1])
  read(operationOf('a', { id: 1, stage: 'running' }))
  expect(table.listStale(store)).toEqual([])
  for (const name of ['a', 'b', 'c']) report(name, 'done')
  expect(table.listStale(store)).toEqual([1, 2, 3])
  // An event may precede the record of the end.
  read(operationOf('a', { id: 1 }), operationOf('b', { id: 2, stage: 'running' }))
  expect(table.listStale(store)).toEqual([2, 3])
})

test('a tree keeps the ancestors of its shown rows', () => {
  const rowOf = (name: string, parent?: string) => {
    const parentFields = parent === undefined ? {} : { parent: operationOf(parent).urn }
    const step = { op: 'same', urn: operationOf(name).urn, type: 'a:b:C', new: parentFields }
    return createRow(step, 'done')
  }
  const rows = [rowOf('leaf', 'middle'), rowOf('middle', 'root'), rowOf('root'), rowOf('other')]
  const kept = keepAncestors(rows, ({ name }) => name === 'leaf')
  expect(kept.map(({ name }) => name)).toEqual(['leaf', 'middle', 'root'])
})

test('the text of a wait says whether the operation may still begin', () => {
  const need = { id: 7, op: 'delete', urn: 'x', stage: 'waiting' } as const
  const wait = { kind: 'operations', count: 1, operations: [need] } as const
  const options = { parallel: 4, limits: [], isEnded: false }
  expect(waitTextOf(wait, options)).toBe('It waits for another operation:')
  expect(waitTextOf(wait, { ...options, isEnded: true })).toContain('It never began')
  const failed = { ...need, stage: 'ended', verdict: 'failed' } as const
  expect(waitTextOf({ ...wait, operations: [failed] }, options)).toContain('It never begins')
  expect(waitTextOf({ kind: 'slots', running: 4 }, options)).toContain('All 4 slots')
  expect(waitTextOf({ kind: 'delivery' }, { ...options, limits: ['aws'] })).toContain('aws')
  expect(waitTextOf({ kind: 'none' }, options)).toBeUndefined()
})
