import { expect, test } from 'vitest'
import type { ShownEngineEvent, EventStep } from '../api/engine-events.ts'
import { countKeyOf, createEmptyCounts, progressTextsOf } from './count-states.ts'
import { createDeploymentFold } from './deployment-events.ts'
import { resourceNameOf, shortTypeOf } from './operation-row.ts'

const stepOf = (op: string, name: string): EventStep => ({
  op,
  urn: `urn:pulumi:dev::shop::gold:index:Thing::${name}`,
  type: 'gold:index:Thing',
})
const begin = (op: string, name: string): ShownEngineEvent => ({
  resourcePreEvent: { metadata: stepOf(op, name) },
})
const finish = (op: string, name: string): ShownEngineEvent => ({
  resOutputsEvent: { metadata: stepOf(op, name) },
})
const fail = (op: string, name: string): ShownEngineEvent => ({
  resOpFailedEvent: { metadata: stepOf(op, name) },
})
const readStates = (events: readonly ShownEngineEvent[]): readonly string[] => {
  const fold = createDeploymentFold()
  fold.add(events)
  return fold.read().rows.map(({ name, op, state }) => `${name} ${op} ${state}`)
}

test('an operation keeps its row from its begin to its end, in the order of the begins', () => {
  const events = [begin('create', 'a'), begin('create', 'b'), finish('create', 'b')]
  expect(readStates(events)).toEqual(['a create running', 'b create done'])
  expect(readStates([...events, fail('create', 'a')])).toEqual([
    ...['a create failed', 'b create done'],
  ])
})

test('events that a resumed deployment reports again change nothing', () => {
  const events = [begin('create', 'a'), finish('create', 'a')]
  expect(readStates([...events, ...events])).toEqual(readStates(events))
})

test('a replacement has a row for its create and one for its delete', () => {
  const ops = ['create-replacement', 'replace', 'delete-replaced']
  const events = ops.flatMap(op => [begin(op, 'a'), finish(op, 'a')])
  expect(readStates(events)).toEqual(['a create-replacement done', 'a delete-replaced done'])
})

test('a read of a refresh has one row, with the change that it found', () => {
  const events = [begin('refresh', 'a'), begin('refresh', 'b'), finish('update', 'a')]
  expect(readStates(events)).toEqual(['b refresh running', 'a update done'])
  const repeatedEvents = [...events, finish('refresh', 'b'), ...events.slice(1)]
  expect(readStates(repeatedEvents)).toContain('a update done')
})

test('the progress is the same object until further events arrive', () => {
  const fold = createDeploymentFold()
  const first = fold.read()
  expect(fold.read()).toBe(first)
  fold.add([begin('create', 'a')])
  expect(fold.read()).not.toBe(first)
  expect(first.rows).toEqual([])
})

test('messages are kept without colors, and progress messages of terminals are omitted', () => {
  const fold = createDeploymentFold()
  fold.add([
    { diagnosticEvent: { message: '\u001b[1mbroken\u001b[0m\n', severity: 'error', urn: 'u' } },
    { diagnosticEvent: { message: 'loading 10 %', severity: 'info', ephemeral: true } },
    { diagnosticEvent: { message: 'note\n', severity: 'info#err' } },
    { stdoutEvent: { message: 'printed\n' } },
    { summaryEvent: { resourceChanges: { create: 1 }, durationSeconds: 2 } },
  ])
  const { messages, changes } = fold.read()
  expect(messages).toEqual([
    { severity: 'error', text: 'broken', urn: 'u' },
    { severity: 'info', text: 'note', urn: undefined },
    { severity: 'info', text: 'printed', urn: undefined },
  ])
  expect(changes).toEqual({ create: 1 })
})

test('100,000 operations that arrive one by one are folded without copies of all rows', () => {
  const fold = createDeploymentFold()
  for (let index = 0; index < 100_000; index += 1) fold.add([begin('create', `r-${index}`)])
  for (let index = 0; index < 100_000; index += 1) fold.add([finish('create', `r-${index}`)])
  expect(fold.read().counts).toMatchObject({ done: 100_000, running: 0 })
})

test('counts of states omit those that are zero', () => {
  const counts = createEmptyCounts()
  counts[countKeyOf({ op: 'same', state: 'done' })] += 1
  counts[countKeyOf({ op: 'create', state: 'failed' })] += 1
  expect(progressTextsOf(counts)).toEqual(['1 failed', '1 unchanged'])
})

test('a URN has the name of its resource, and a type its short form', () => {
  expect(resourceNameOf('urn:pulumi:dev::shop::a:b:C$d:e:F::x::y')).toBe('x::y')
  expect(shortTypeOf('aws:s3/bucket:Bucket')).toBe('aws:s3:Bucket')
  expect(shortTypeOf('gold:index:Thing')).toBe('gold:Thing')
})
