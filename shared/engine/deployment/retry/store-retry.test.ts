import { describe, expect, test } from 'vitest'
import { error } from '../../../errors/error.ts'
import type { ClockPort } from '../../../ports/system.ts'
import { createStoreRetry, createRetryingPorts } from './store-retry.ts'

/** Creates a clock that advances only during sleeps, and collects the reports. */
function createScene(shouldRetry = (): boolean => true) {
  const reports: string[] = []
  const slept: number[] = []
  let nowMs = 0
  const clock = {
    monotonicMs: () => nowMs,
    sleep: async (ms: number) => {
      slept.push(ms)
      nowMs += ms
    },
  } as ClockPort
  const random = { bytes: () => new Uint8Array([255]) }
  const retrying = createStoreRetry({
    clock,
    random,
    shouldRetry,
    onOutage: text => void reports.push(text),
  })
  return { retrying, reports, slept }
}

/** Creates a request that is refused `times` times and then succeeds. */
function createRefusing(times: number) {
  let calls = 0
  const request = async (...what: readonly unknown[]): Promise<readonly unknown[]> => {
    calls += 1
    if (calls <= times) throw error('STORE_UNAVAILABLE', 'too many requests')
    return what
  }
  return { request, calls: () => calls }
}

const ports = {
  decisionLog: ['append', 'read'],
  operations: 'arrive begin lapse putOutcome getOutcome select getHeads getEnds'.split(' '),
  control: ['create', 'read', 'stop', 'handOver', 'hold', 'close'],
  leases: ['register', 'retire', 'list'],
  catalog: 'getStack start publish release putLate listLate removeLate listSlow'.split(' '),
  blobs: ['put', 'get'],
  chains: ['send', 'remove'],
  nudges: ['nudge'],
}
const impatient = {
  leases: ['renew'],
  chains: ['receive', 'extend'],
  nudges: ['receive'],
  operations: ['giveBack'],
}

type Methods = Readonly<Record<string, Readonly<Record<string, () => Promise<unknown>>>>>

/** Creates every port with methods that are refused `times` times. */
function faulty(times: number): Methods {
  const names = Object.entries(ports).map(([port, methods]) => {
    const all = [...methods, ...(Object.entries(impatient).find(([at]) => at === port)?.[1] ?? [])]
    return [port, Object.fromEntries(all.map(name => [name, createRefusing(times).request]))]
  })
  return Object.fromEntries(names) as Methods
}

describe('a request that the store refuses', () => {
  for (const [port, methods] of Object.entries(ports))
    test(`is retried with growing pauses: ${port}`, async () => {
      for (const method of methods) {
        const { retrying, slept, reports } = createScene()
        const patient = createRetryingPorts(faulty(3) as never, retrying) as Methods
        expect(await patient[port]?.[method]?.()).toEqual([])
        expect(slept).toEqual([100, 200, 400])
        expect(reports).toEqual([])
      }
    })

  test('is given up after twenty seconds, or when retries are no longer wanted', async () => {
    const { request } = createRefusing(Infinity)
    const { retrying, slept } = createScene()
    await expect(retrying(request)()).rejects.toThrow('too many requests')
    const wholeMs = slept.reduce((sum, ms) => sum + ms, 0)
    expect(wholeMs).toBeGreaterThan(20_000)
    expect(wholeMs).toBeLessThan(24_000)
    const value = createScene(() => false)
    await expect(value.retrying(request)()).rejects.toThrow('too many requests')
    expect(value.slept).toEqual([])
  })

  test('is given up at once when this process closed the store itself', async () => {
    const closed = error('STORE_UNAVAILABLE', 'it was closed', { details: { reason: 'closed' } })
    const { retrying, slept, reports } = createScene()
    await expect(retrying(() => Promise.reject(closed))()).rejects.toThrow('it was closed')
    expect([slept, reports]).toEqual([[], []])
  })

  test('is reported once per outage, across all requests', async () => {
    const { retrying, reports } = createScene()
    await retrying(createRefusing(7).request)()
    await retrying(createRefusing(3).request)()
    expect(reports).toEqual(['the store is unavailable; retrying: too many requests'])
    await retrying(createRefusing(7).request)()
    expect(reports).toHaveLength(2)
  })
})

test('a call that is retried elsewhere, or fails with another error, is not retried here', async () => {
  for (const [port, methods] of Object.entries(impatient))
    for (const method of methods) {
      const { retrying } = createScene()
      const patient = createRetryingPorts(faulty(1) as never, retrying) as Methods
      await expect(patient[port]?.[method]?.()).rejects.toThrow('too many requests')
    }
  const { retrying, slept } = createScene()
  const conflict = error('STORE_CONFLICT', 'another caller was faster')
  await expect(retrying(() => Promise.reject(conflict))()).rejects.toBe(conflict)
  expect(slept).toEqual([])
})
