import { expect, test } from 'vitest'
import { type EpochMs, stackIdOf } from '../shared/records/ids.ts'
import { createError } from '../shared/errors/error.ts'
import { collectMetrics, type MetricPorts, measureStacks } from './collect-metrics.ts'
import { formatPrometheus } from './prometheus-text.ts'

const stack = stackIdOf('shop', 'dev')

test('the metrics of stacks count open deployments and the age of the oldest request', () => {
  const record = { id: stack, createdAt: 0 as EpochMs, version: 0, snapshot: '' } as const
  const request = { stack, key: 'a', at: 4_000 } as never
  const measured = {
    record: { ...record, current: `${stack}/1` as never, deployments: 1 },
    lastEnded: undefined,
    waiting: [request],
  }
  const text = formatPrometheus(measureStacks([measured], 10_000))
  expect(text).toContain('antichain_open_deployments 1\n')
  expect(text).toContain('antichain_oldest_request_age_seconds 6\n')
  expect(formatPrometheus(measureStacks([], 10_000))).toContain('age_seconds 0\n')
})

test('the text of metrics escapes quotes, backslashes and line ends of labels', () => {
  const samples = [{ value: 1, labels: { name: 'a"b\\c\nd' } }]
  expect(formatPrometheus([{ name: 'm', kind: 'gauge', help: 'Help.', samples }])).toBe(
    '# HELP m Help.\n# TYPE m gauge\nm{name="a\\"b\\\\c\\nd"} 1\n',
  )
})

test('a stack with an unreadable history is counted, and the metrics of others remain', async () => {
  const other = stackIdOf('shop', 'prod')
  let failure: Error = new SyntaxError('no JSON')
  const ports = {
    catalog: {
      listStacks: async () => ({ stacks: [{ id: stack }, { id: other }], unreadable: [] }),
      listHistory: async (id: unknown) => {
        if (id === stack) throw failure
        return [{ deployment: `${other}/1`, command: 'up', startedAt: 0, endedAt: 1_000 }]
      },
    },
    requests: { listWaiting: async () => [] },
    notifications: { listDeadLetters: async () => [] },
    readOldestChainAgeMs: async () => 1_500,
    clock: { now: () => 0 },
  } as unknown as MetricPorts
  const text = formatPrometheus(await collectMetrics(ports))
  expect(text).toContain('antichain_unreadable_stacks 1\n')
  expect(text).toContain('antichain_oldest_chain_age_seconds 1.5\n')
  expect(text).toContain('duration_seconds{project="shop",stack="prod"} 1')
  failure = createError('STORE_UNAVAILABLE', 'the disk is full')
  await expect(collectMetrics(ports)).rejects.toBe(failure)
})
