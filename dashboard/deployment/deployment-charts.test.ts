import { expect, test } from 'vitest'
import type { ShownOperation } from '../api/operation-views.ts'
import { waitTextOf } from '../format/wait-words.ts'
import { addPlannedRows, createRow, keepAncestors } from './operation-row.ts'
import { createTimeLine } from './time-line.ts'
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
    isCritical: false,
    ...times,
    ...fields,
  }
}

const clock = { startedAt: 1_000, nowMs: 2_000 }

test('a bar of the time line has distinct segments for needs, slots, limits, queue and call', () => {
  const [row] = createTimeLine(
    [
      operationOf('a', {
        verdict: 'succeeded',
        ...{ readyAt: 1_200, beganAt: 1_500, endedAt: 1_900, slotMs: 100, limitMs: 150 },
      }),
    ],
    clock,
  )
  expect(row).toMatchObject({ name: 'delete a', startMs: 500, durationMs: 400, waitedMs: 400 })
  expect(row?.segments).toEqual([
    { kind: 'needs', startMs: 100, endMs: 200 },
    { kind: 'slot', startMs: 200, endMs: 300 },
    { kind: 'limit', startMs: 300, endMs: 450 },
    { kind: 'queue', startMs: 450, endMs: 500 },
    { kind: 'call', startMs: 500, endMs: 900 },
  ])
})

test('bars of open operations reach until now, in the order of their starts', () => {
  const rows = createTimeLine(
    [
      operationOf('running', { id: 2, stage: 'running', readyAt: 1_300 }),
      operationOf('waiting', { id: 3, stage: 'waiting' }),
    ],
    clock,
  )
  expect(rows.map(({ segments }) => segments.map(({ kind, endMs }) => [kind, endMs]))).toEqual([
    [['needs', 1_000]],
    [
      ['needs', 300],
      ['running', 1_000],
    ],
  ])
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

test('planned operations without an event are rows, and a row of events counts', () => {
  const done = createRow({ op: 'delete', urn: operationOf('a').urn, type: 'a:b:C' }, 'done')
  const refreshed = createRow({ op: 'same', urn: operationOf('c').urn, type: 'a:b:C' }, 'done')
  const provider = 'urn:pulumi:dev::shop::pulumi:providers:a::default_1_0_0'
  const planned = [
    operationOf('a', { stage: 'ready' }),
    operationOf('b', { stage: 'waiting' }),
    operationOf('c', { op: 'refresh', stage: 'ready' }),
    operationOf('d', { stage: 'running' }),
    operationOf('default', { urn: provider, stage: 'waiting' }),
  ]
  const rows = addPlannedRows([done, refreshed], planned)
  expect(rows.map(({ name, state, type }) => [name, state, type])).toEqual([
    ['a', 'done', 'a:b:C'],
    ['c', 'done', 'a:b:C'],
    ['b', 'waiting', 'a:b:C'],
    ['d', 'running', 'a:b:C'],
  ])
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
