import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { isTraceSampled, readTraceSampler, samplerNames } from './trace-sampler.ts'

const callerOf = (isSampled: boolean) => ({ traceId: '', spanId: '', isSampled })
const traceIds = Array.from({ length: 2_000 }, (_, index) =>
  createHash('sha256').update(String(index)).digest('hex').slice(0, 32),
)

test.each([
  ['', '', { followsCaller: true, ratio: 1 }],
  ['always_on', '0.5', { followsCaller: false, ratio: 1 }],
  ['always_off', '', { followsCaller: false, ratio: 0 }],
  ['traceidratio', '0.25', { followsCaller: false, ratio: 0.25 }],
  ['traceidratio', '', { followsCaller: false, ratio: 1 }],
  ['parentbased_traceidratio', '0', { followsCaller: true, ratio: 0 }],
  ['parentbased_traceidratio', '1.5', { followsCaller: true, ratio: 1 }],
  ['parentbased_always_off', '', { followsCaller: true, ratio: 0 }],
  ['jaeger_remote', '', undefined],
])('readTraceSampler reads the sampler %j with the argument %j', (name, ratio, sampler) => {
  expect(readTraceSampler(name, ratio)).toEqual(sampler)
})

test.each(samplerNames)('readTraceSampler accepts the name %s', name => {
  expect(readTraceSampler(name, '')).toBeDefined()
})

test('a ratio selects that share of the traces, and a larger ratio selects them too', () => {
  const select = (ratio: number): string[] =>
    traceIds.filter(id => isTraceSampled({ followsCaller: true, ratio }, id, undefined))
  const selected = select(0.25)
  expect(selected.length / traceIds.length).toBeCloseTo(0.25, 1)
  expect(select(0.5)).toEqual(expect.arrayContaining(selected))
  expect([select(0), select(1)]).toEqual([[], traceIds])
})

test('a trace keeps the decision of its caller, unless the sampler ignores the caller', () => {
  const [id = ''] = traceIds
  const decide = (followsCaller: boolean, ratio: number, isSampled: boolean): boolean =>
    isTraceSampled({ followsCaller, ratio }, id, callerOf(isSampled))
  expect([decide(true, 0, true), decide(true, 1, false)]).toEqual([true, false])
  expect([decide(false, 0, true), decide(false, 1, false)]).toEqual([false, true])
})
