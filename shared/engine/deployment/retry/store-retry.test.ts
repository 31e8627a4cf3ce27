import { describe, expect, test } from 'vitest'
import { createError } from '../../../errors/error.ts'
import type { ClockPort } from '../../../ports/system.ts'
import { createStoreRetry, createRetryingPorts } from './store-retry.ts'

/** Creates a retry whose clock advances only during sleeps, and collects its reports. */
function createTestRetry(shouldRetry = (): boolean => true) {
  const reports: string[] = []
  const pausesMs: number[] = []
  let nowMs = 0
  const clock = {
    monotonicMs: () => nowMs,
    sleep: async (ms: number) => {
      pausesMs.push(ms)
      nowMs += ms
    },
  } as ClockPort
  const random = { bytes: () => new Uint8Array([255]) }
  const withRetry = createStoreRetry({
    clock,
    random,
    shouldRetry,
    onOutage: text => void reports.push(text),
  })
  return { withRetry, reports, pausesMs }
}

/** Creates a request that fails `times` times and then succeeds. */
function createFailingRequest(times: number) {
  let calls = 0
  const request = async (...args: readonly unknown[]): Promise<readonly unknown[]> => {
    calls += 1
    if (calls <= times) throw createError('STORE_UNAVAILABLE', 'too many requests')
    return args
  }
  return { request, calls: () => calls }
}

const retriedMethods = {
  decisionLog: ['append', 'read'],
  operations: 'arrive begin lapse putOutcome getOutcome select getHeads getEnds'.split(' '),
  control: ['create', 'read', 'stop', 'handOver', 'hold', 'close'],
  leases: ['register', 'retire', 'list'],
  catalog:
    'getStack start publish release putLateOutcome listLateOutcomes removeLateOutcomes listSlowOperations'.split(
      ' ',
    ),
  blobs: ['put', 'get'],
  chains: ['send', 'remove'],
  nudges: ['nudge'],
}
const methodsWithoutRetry = {
  leases: ['renew'],
  chains: ['receive', 'extend'],
  nudges: ['receive'],
  operations: ['giveBack'],
}

type Ports = Readonly<Record<string, Readonly<Record<string, () => Promise<unknown>>>>>

/** Creates every port with methods that fail `times` times and then succeed. */
function createFaultyPorts(times: number): Ports {
  const names = Object.entries(retriedMethods).map(([port, methods]) => {
    const all = [
      ...methods,
      ...(Object.entries(methodsWithoutRetry).find(([name]) => name === port)?.[1] ?? []),
    ]
    return [port, Object.fromEntries(all.map(name => [name, createFailingRequest(times).request]))]
  })
  return Object.fromEntries(names) as Ports
}

describe('a request that fails because of the store', () => {
  for (const [port, methods] of Object.entries(retriedMethods))
    test(`is retried with growing pauses: ${port}`, async () => {
      for (const method of methods) {
        const { withRetry, pausesMs, reports } = createTestRetry()
        const retryingPorts = createRetryingPorts(createFaultyPorts(3) as never, withRetry) as Ports
        expect(await retryingPorts[port]?.[method]?.()).toEqual([])
        expect(pausesMs).toEqual([100, 200, 400])
        expect(reports).toEqual([])
      }
    })

  test('is given up after twenty seconds, or when retries are no longer wanted', async () => {
    const { request } = createFailingRequest(Infinity)
    const { withRetry, pausesMs } = createTestRetry()
    await expect(withRetry(request)()).rejects.toThrow('too many requests')
    const totalMs = pausesMs.reduce((sum, ms) => sum + ms, 0)
    expect(totalMs).toBeGreaterThan(20_000)
    expect(totalMs).toBeLessThan(24_000)
    const unwantedRetry = createTestRetry(() => false)
    await expect(unwantedRetry.withRetry(request)()).rejects.toThrow('too many requests')
    expect(unwantedRetry.pausesMs).toEqual([])
  })

  test('is given up immediately when this process closed the store itself', async () => {
    const closed = createError('STORE_UNAVAILABLE', 'it was closed', {
      details: { reason: 'closed' },
    })
    const { withRetry, pausesMs, reports } = createTestRetry()
    await expect(withRetry(() => Promise.reject(closed))()).rejects.toThrow('it was closed')
    expect([pausesMs, reports]).toEqual([[], []])
  })

  test('is reported once per outage, across all requests', async () => {
    const { withRetry, reports } = createTestRetry()
    await withRetry(createFailingRequest(7).request)()
    await withRetry(createFailingRequest(3).request)()
    expect(reports).toEqual(['the store is unavailable; retrying: too many requests'])
    await withRetry(createFailingRequest(7).request)()
    expect(reports).toHaveLength(2)
  })
})

test('a call that its caller repeats, or that fails with another error, is not retried here', async () => {
  for (const [port, methods] of Object.entries(methodsWithoutRetry))
    for (const method of methods) {
      const { withRetry } = createTestRetry()
      const retryingPorts = createRetryingPorts(createFaultyPorts(1) as never, withRetry) as Ports
      await expect(retryingPorts[port]?.[method]?.()).rejects.toThrow('too many requests')
    }
  const { withRetry, pausesMs } = createTestRetry()
  const conflict = createError('STORE_CONFLICT', 'another caller was faster')
  await expect(withRetry(() => Promise.reject(conflict))()).rejects.toBe(conflict)
  expect(pausesMs).toEqual([])
})
