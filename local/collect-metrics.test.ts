import { expect, test } from 'vitest'
import { type EpochMs, stackIdOf } from '../shared/records/ids.ts'
import { measureStacks } from './collect-metrics.ts'
import { formatPrometheus } from './prometheus-text.ts'

const stack = stackIdOf('shop', 'dev')

test('the metrics of stacks count open deployments and the age of the oldest request', () => {
  const record = { id: stack, createdAt: 0 as EpochMs, version: 0, snapshot: '' } as const
  const request = { stack, key: 'a', at: 4_000 } as never
  const measured = {
    ...{ record: { ...record, current: `${stack}/1` as never, deployments: 1 } },
    ...{ last: undefined, waiting: [request] },
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
