import { expect, test } from 'vitest'
import { callLimitsKey, readCallLimitRules } from './call-limit-rules.ts'

const read = (input: unknown) =>
  readCallLimitRules(
    new Map([[callLimitsKey, { text: JSON.stringify(input), isSecret: false, isObject: true }]]),
  )

test('without a configuration there are no rules', () => {
  expect(readCallLimitRules(new Map())).toEqual([])
})

test.each([
  ['10/s', { calls: 10, perMs: 1_000 }],
  ['100/m', { calls: 100, perMs: 60_000 }],
  ['1/30s', { calls: 1, perMs: 30_000 }],
  ['3/500ms', { calls: 3, perMs: 500 }],
  ['2/h', { calls: 2, perMs: 3_600_000 }],
])('the rate %s is read', (rate, expected) => {
  expect(read([{ provider: 'aws', rate }])).toEqual([{ provider: 'aws', rate: expected }])
})

test('all fields of a rule are read', () => {
  const rule = {
    provider: 'aws',
    type: 'aws:ses/*',
    operations: ['create', 'delete'],
    by: ['region'],
    key: 'main account',
    burst: 5,
    concurrency: 3,
  }
  expect(read([{ ...rule, rate: '1/s' }])).toEqual([{ ...rule, rate: { calls: 1, perMs: 1_000 } }])
})

test.each([
  ['a map instead of a list', {}, 'is not a list of at most 100 rules'],
  ['a rule without a selection', [{ rate: '1/s' }], 'rule 1: needs a provider or a type'],
  ['a rule without a limit', [{ type: 'a:b:C' }], 'rule 1: needs a rate or a concurrency'],
  [
    'a burst alone',
    [{ type: 'a', concurrency: 1, burst: 2 }],
    'rule 1: has a burst without a rate',
  ],
  ['a rate of no calls', [{ type: 'a', rate: '0/s' }], "rule 1, rate: '0/s' is not a rate"],
  ['a period over an hour', [{ type: 'a', rate: '1/2h' }], "rule 1, rate: '1/2h' is not a rate"],
  ['a concurrency of 0', [{ type: 'a', concurrency: 0 }], 'rule 1, concurrency: '],
  [
    'an unknown field',
    [
      { type: 'a', rate: '1/s' },
      { type: 'b', rat: 1 },
    ],
    'rule 2: ',
  ],
  [
    'an unknown operation',
    [{ type: 'a', rate: '1/s', operations: ['drop'] }],
    'rule 1, operations.0: ',
  ],
])('%s is refused with its position', (_name, input, message) => {
  expect(() => read(input)).toThrow(message)
})

test('a text instead of a list is refused', () => {
  const config = new Map([[callLimitsKey, { text: '1/s', isSecret: false, isObject: false }]])
  expect(() => readCallLimitRules(config)).toThrow(`(${callLimitsKey}) is not a list of rules`)
})
