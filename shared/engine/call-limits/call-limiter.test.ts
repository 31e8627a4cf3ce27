import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../platform/embedded/embedded-platform.ts'
import type { CallLimitRule } from '../../programs/config/call-limit-rules.ts'
import { deploymentIdOf, type OperationId, stackIdOf } from '../../records/ids.ts'
import { type CallLimiter, type CallLimiterDeps, createCallLimiter } from './call-limiter.ts'
import type { LimitableCall } from './match-limits.ts'

const home = mkdtempSync(join(tmpdir(), 'antichain-limits-'))
let platform: EmbeddedPlatform
beforeAll(async () => {
  platform = await openEmbeddedPlatform({ home })
})
afterAll(async () => {
  await platform.close()
  rmSync(home, { recursive: true })
})

const runningControl = { read: async () => ({ stop: 'none', closed: false }) as never }
let stackCount = 0

/** Creates a limiter. Each stack has limits of its own. */
function createLimiter(
  rules: readonly CallLimitRule[],
  options: Partial<CallLimiterDeps> & { readonly number?: number } = {},
): CallLimiter {
  const stack = options.stack ?? stackIdOf('limits', `s${stackCount++}`)
  return createCallLimiter({
    ...platform,
    rules,
    deployment: deploymentIdOf(stack, options.number ?? 1),
    control: runningControl,
    report: () => undefined,
    waitMaxMs: Infinity,
    ...options,
    stack,
  })
}

const createCall: LimitableCall = {
  call: 'create',
  type: 'aws:a:B',
  readInputs: async () => [],
  isBegun: async () => false,
  onWait: () => undefined,
}
/** Creates a clock that begins now, and whose sleeps take no time. */
function createTestClock() {
  let now = platform.clock.now()
  const pass = (ms: number): void => void (now = (now + ms) as typeof now)
  const sleep = async (ms: number) => pass(ms)
  return { clock: { now: () => now, sleep, repeat: () => () => undefined }, read: () => now, pass }
}

const toId = (id: number): OperationId => id as OperationId

/** Waits for a permit, and starts the call. */
async function start(limiter: CallLimiter, id: number) {
  const permit = await limiter.acquire(toId(id), createCall)
  if (permit === undefined || 'retryMs' in permit) throw new Error('no permit')
  permit.onStart()
  return permit
}

test('a call to which no rule applies starts immediately and writes no record', async () => {
  const callLimits = {
    get: async () => undefined,
    putExpiring: () => Promise.reject(new Error('written')),
  }
  const permit = await start(createLimiter([], { callLimits }), 1)
  expect(permit.isLimited).toBe(false)
  await permit.end('succeeded')
})

test('a call reports its wait only if a rule applies to it', async () => {
  let waitCount = 0
  const call: LimitableCall = { ...createCall, onWait: () => void (waitCount += 1) }
  await createLimiter([]).acquire(toId(1), call)
  expect(waitCount).toBe(0)
  await createLimiter([{ rate: { calls: 1, perMs: 1 } }]).acquire(toId(2), call)
  expect(waitCount).toBe(1)
})

test('calls start at the rate of their rule, in the order of their requests', async () => {
  const limiter = createLimiter([{ provider: 'aws', rate: { calls: 10, perMs: 1_000 } }])
  const starts: [id: number, at: number][] = []
  const startMs = performance.now()
  const startAll = [1, 2, 3, 4, 5].map(async id => {
    const permit = await start(limiter, id)
    starts.push([id, performance.now() - startMs])
    await permit.end('succeeded')
  })
  await Promise.all(startAll)
  expect(starts.map(([id]) => id)).toEqual([1, 2, 3, 4, 5])
  // Four intervals of 100 ms, with a tolerance for timers.
  expect(starts[4]?.[1]).toBeGreaterThan(380)
})

test('a call that waits for a place starts as soon as a call of this process ends', async () => {
  const limiter = createLimiter([{ provider: 'aws', concurrency: 1 }])
  const first = await start(limiter, 1)
  const pendingSecond = start(limiter, 2)
  await new Promise(resolve => setTimeout(resolve, 50))
  const startMs = performance.now()
  await first.end('succeeded')
  await pendingSecond
  expect(performance.now() - startMs).toBeLessThan(500)
})

test('an executor that shares deliveries gets the delay of its next attempt instead of a long wait', async () => {
  const rule = { provider: 'aws', rate: { calls: 1, perMs: 60_000 } }
  const limiter = createLimiter([rule], { waitMaxMs: 100 })
  await (await start(limiter, 1)).end('succeeded')
  const result = await limiter.acquire(toId(2), createCall)
  expect(result).toMatchObject({ retryMs: expect.closeTo(60_000, -4) })
  // A begun operation needs no start, because this delivery does not call its provider.
  const begunCall = { ...createCall, isBegun: async () => true }
  expect(await limiter.acquire(toId(1), begunCall)).toMatchObject({ isLimited: false })
})

test('two deployments under one limit get equal shares, although one of them requests more calls', async () => {
  const stack = stackIdOf('limits', 'fair')
  const rules = [{ provider: 'aws', rate: { calls: 50, perMs: 1_000 } }]
  const counts = [0, 0]
  const endMs = performance.now() + 1_500
  const run = async (index: number, callCount: number): Promise<void> => {
    const limiter = createLimiter(rules, { stack, number: index + 1 })
    const calls = Array.from({ length: callCount }, async (_, id) => {
      const permit = await start(limiter, id + 1)
      if (performance.now() < endMs) counts[index] = (counts[index] ?? 0) + 1
      await permit.end('succeeded')
    })
    await Promise.all(calls)
  }
  await Promise.all([run(0, 80), run(1, 40)])
  const [countOfMany = 0, countOfFew = 0] = counts
  expect(Math.abs(countOfMany - countOfFew)).toBeLessThan(15)
})

test('a second request of a waiting operation gets no permit', async () => {
  const limiter = createLimiter([{ provider: 'aws', concurrency: 1 }])
  const first = await start(limiter, 1)
  const pendingSecond = start(limiter, 2)
  expect(await limiter.acquire(toId(2), createCall)).toBeUndefined()
  await first.end('succeeded')
  await pendingSecond
})

// Otherwise users would change a limit that has free starts.
test.each([
  ['aws', 1, 2],
  ['aws:*', 2, 1],
])('a long wait is reported for %s, the only limit without a free start', async (...row) => {
  const [label, providerConcurrency, typeConcurrency] = row
  const rules = [
    { provider: 'aws', concurrency: providerConcurrency },
    { type: 'aws:*', concurrency: typeConcurrency },
  ]
  const { clock } = createTestClock()
  const reported = Promise.withResolvers<string>()
  const report = (_severity: string, message: string) => reported.resolve(message)
  const limiter = createLimiter(rules, { clock, report })
  const first = await start(limiter, 1)
  const pendingSecond = start(limiter, 2)
  expect(await reported.promise).toBe(`calls of '${label}' wait for their limit`)
  await first.end('succeeded')
  await pendingSecond
})

test('a stopped deployment waits for no limit, because its operations cannot begin', async () => {
  let stop = 'none'
  const control = { read: async () => ({ stop, closed: false }) as never }
  const limiter = createLimiter([{ provider: 'aws', concurrency: 1 }], { control })
  await start(limiter, 1)
  const pendingSecond = start(limiter, 2)
  stop = 'graceful'
  await pendingSecond
})

test('throttling slows down later calls of the package, and is reported', async () => {
  const reports: string[] = []
  const limiter = createLimiter([], { report: (_severity, message) => reports.push(message) })
  await (await start(limiter, 1)).end('throttled')
  expect(reports).toEqual(["'aws' throttles calls; at most 30.0 a minute start now"])
  const slowed = await start(limiter, 2)
  expect(slowed.isLimited).toBe(true)
  const startMs = performance.now()
  await slowed.end('other')
  await (await start(limiter, 3)).end('other')
  expect(performance.now() - startMs).toBeGreaterThan(1_500)
})

test('a permit is not current when throttling lowered a rate after its grant', async () => {
  const limiter = createLimiter([])
  const [first, waiting] = [await start(limiter, 1), await start(limiter, 2)]
  expect(await waiting.isCurrent()).toBe(true)
  await first.end('throttled')
  expect(await waiting.isCurrent()).toBe(false)
  const slowed = await start(limiter, 3)
  expect(await slowed.isCurrent()).toBe(true)
  await slowed.end('succeeded')
  expect(await slowed.isCurrent()).toBe(true)
})

test('a permit is not current five seconds after another process lowered the rate', async () => {
  const stack = stackIdOf('limits', 'outdated')
  const { clock, pass } = createTestClock()
  const waiting = await start(createLimiter([], { stack, clock }), 1)
  await (await start(createLimiter([], { stack, number: 2 }), 1)).end('throttled')
  expect(await waiting.isCurrent()).toBe(true)
  pass(5_000)
  expect(await waiting.isCurrent()).toBe(false)
})

test('a call that starts late, because it waited for a slot, delays the next one', async () => {
  const { clock, read, pass } = createTestClock()
  const rules = [{ provider: 'aws', rate: { calls: 1, perMs: 10_000 } }]
  const limiter = createLimiter(rules, { clock })
  const permit = await limiter.acquire(toId(1), createCall)
  if (permit === undefined || 'retryMs' in permit) throw new Error('no permit')
  pass(60_000)
  const startedAt = read()
  permit.onStart()
  await start(limiter, 2)
  expect(read() - startedAt).toBe(10_000)
})

test('all places are free again after many calls that end together', async () => {
  const limiter = createLimiter([{ provider: 'aws', concurrency: 50 }])
  const permits = []
  for (let id = 1; id <= 50; id += 1) permits.push(await start(limiter, id))
  await Promise.all(permits.map(({ end }) => end('succeeded')))
  for (let id = 51; id <= 100; id += 1) await start(limiter, id)
})

test('a slow limit does not delay calls to which only a broader limit applies', async () => {
  const limiter = createLimiter([
    { type: 'aws:slow:*', rate: { calls: 1, perMs: 3_000 } },
    { provider: 'aws', concurrency: 1 },
  ])
  const acquire = async (id: number, type: string) => {
    const permit = await limiter.acquire(toId(id), { ...createCall, type })
    if (permit === undefined || 'retryMs' in permit) throw new Error('no permit')
    permit.onStart()
    await permit.end('succeeded')
  }
  await acquire(1, 'aws:slow:A')
  const startMs = performance.now()
  const pendingSlow = acquire(2, 'aws:slow:A')
  await acquire(3, 'aws:fast:A')
  expect(performance.now() - startMs).toBeLessThan(1_500)
  await pendingSlow
  expect(performance.now() - startMs).toBeGreaterThan(2_000)
})

test('another process also limits the calls of a throttled package', async () => {
  const stack = stackIdOf('limits', 'throttled')
  const first = createLimiter([], { stack })
  await (await start(first, 1)).end('throttled')
  const second = createLimiter([], { stack, number: 2 })
  expect((await start(second, 1)).isLimited).toBe(true)
})
