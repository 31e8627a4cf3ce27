import { expect, test } from 'vitest'
import type { CallLimitRule } from '../../programs/config/call-limit-rules.ts'
import { adaptiveLimitOf, type LimitableCall, matchLimits } from './match-limits.ts'

const perSecond = { calls: 1, perMs: 1_000 }

function createCall(type: string, inputs: Record<string, string | number> = {}): LimitableCall {
  return {
    call: 'create',
    type,
    readInputs: async () => [new Map(Object.entries(inputs))],
    isBegun: async () => false,
    onWait: () => undefined,
  }
}

async function labelsOf(rule: Partial<CallLimitRule>, type: string): Promise<readonly string[]> {
  const limits = await matchLimits([{ rate: perSecond, ...rule }], createCall(type))
  return limits.map(({ label }) => label)
}

test.each([
  ['aws:ses/*', 'aws:ses/domainIdentity:DomainIdentity', true],
  ['aws:ses/*', 'aws:s3/bucket:Bucket', false],
  ['*:Bucket', 'aws:s3/bucket:Bucket', true],
  ['*:Bucket', 'aws:s3/bucket:BucketV2', false],
  ['aws:*:Bucket', 'aws:s3/bucket:Bucket', true],
  ['aws:s3/bucket:Bucket', 'aws:s3/bucket:Bucket', true],
  ['aws:s3/bucket:Bucket', 'aws:s3/bucket:Bucket2', false],
  ['ab*ba', 'aba', false],
  ['*', 'anything', true],
])('whether the type pattern %s matches %s: %s', async (type, actual, isMatch) => {
  expect(await labelsOf({ type }, actual)).toEqual(isMatch ? [type] : [])
})

test('a pattern with many stars is compared in linear time', async () => {
  const start = performance.now()
  expect(await labelsOf({ type: `${'*a'.repeat(90)}b` }, 'a'.repeat(100_000))).toEqual([])
  expect(performance.now() - start).toBeLessThan(1_000)
})

test('a rule for a provider applies to its resources and to the provider itself', async () => {
  expect(await labelsOf({ provider: 'aws' }, 'aws:s3/bucket:Bucket')).toEqual(['aws'])
  expect(await labelsOf({ provider: 'aws' }, 'pulumi:providers:aws')).toEqual(['aws'])
  expect(await labelsOf({ provider: 'aws' }, 'awsx:s3:Bucket')).toEqual([])
})

test('a rule with operations limits only these operations', async () => {
  expect(await labelsOf({ type: '*', operations: ['delete'] }, 'a:b:C')).toEqual([])
  expect(await labelsOf({ type: '*', operations: ['create'] }, 'a:b:C')).toEqual(['* create'])
})

test('each combination of the inputs in `by` has its own limit, and a missing input counts as empty', async () => {
  const rules = [{ provider: 'aws', by: ['region'], rate: perSecond }]
  const limitsOf = async (inputs: Record<string, string>) =>
    (await matchLimits(rules, createCall('aws:a:B', inputs)))[0]
  const [east, east2, west, none] = await Promise.all(
    [{ region: 'east' }, { region: 'east' }, { region: 'west' }, {}].map(limitsOf),
  )
  expect(east?.label).toBe('aws (region=east)')
  expect(east2?.name).toBe(east?.name)
  expect(new Set([east?.name, west?.name, none?.name]).size).toBe(3)
  expect(none?.label).toBe('aws (region=)')
})

test('rules with the same key are one limit that stacks share, even if they select other calls', async () => {
  const rules = [
    { type: 'aws:a:*', key: 'account 1', rate: perSecond },
    { type: 'aws:b:*', key: 'account 1', rate: perSecond },
  ]
  const [first] = await matchLimits(rules, createCall('aws:a:A'))
  const [second] = await matchLimits(rules, createCall('aws:b:B'))
  expect(first).toMatchObject({ isShared: true, label: 'account 1' })
  expect(second?.name).toBe(first?.name)
})

test('a call gets its limits in an order that does not depend on that of the rules', async () => {
  const rules = [
    { provider: 'aws', rate: perSecond },
    { type: 'aws:*', concurrency: 2 },
  ]
  const call = createCall('aws:a:B')
  const forwards = await matchLimits(rules, call)
  const backwards = await matchLimits(rules.toReversed(), call)
  expect(forwards).toHaveLength(2)
  expect(backwards).toEqual(forwards)
})

test('a package without a rule has a limit that follows its throttling', () => {
  expect(adaptiveLimitOf('aws')).toMatchObject({ label: 'aws', intervalMs: 0 })
  expect(adaptiveLimitOf('gcp').name).not.toBe(adaptiveLimitOf('aws').name)
})

test('two rules for the same calls are one limit with the stricter values', async () => {
  const rules = [
    { type: 'aws:*', rate: { calls: 10, perMs: 1_000 }, burst: 3, concurrency: 5 },
    { type: 'aws:*', concurrency: 2 },
    { type: 'aws:*', rate: perSecond },
  ]
  const limits = await matchLimits(rules, createCall('aws:a:B'))
  expect(limits).toMatchObject([{ intervalMs: 1_000, burst: 1, concurrency: 2 }])
})
