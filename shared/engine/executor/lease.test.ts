import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { limits } from '../../config/limits.ts'
import type { LeasesPort } from '../../ports/records.ts'
import type { ProcessGroup } from '../../records/head.ts'
import type { DeploymentId, EpochMs, ExecutorId } from '../../records/ids.ts'
import { keepLease } from './lease.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const identity = {
  deployment: 'organization/shop/dev/1' as DeploymentId,
  executor: 'e' as ExecutorId,
  holder: { host: 'h', pid: 1, started: 's', who: 'w' },
}

async function createTestLease(renew: LeasesPort['renew'], groups: readonly ProcessGroup[] = []) {
  const onLost = vi.fn()
  const lease = await keepLease(
    {
      leases: {
        register: () => Promise.resolve(),
        renew,
        retire: () => Promise.resolve(),
        leave: () => Promise.resolve(),
        list: () => Promise.resolve([]),
      },
      clock: {
        now: () => 0 as EpochMs,
        monotonicMs: () => performance.now(),
        sleep: () => Promise.resolve(),
        repeat: (ms, call) => {
          const timer = setInterval(call, ms)
          return () => clearInterval(timer)
        },
        defer: () => undefined,
      },
      groups: () => [...groups],
      onLost,
    },
    identity,
  )
  return { lease, onLost }
}

describe('a lease', () => {
  test('holds while it is renewed', async () => {
    const { lease, onLost } = await createTestLease(() => Promise.resolve(true))
    await vi.advanceTimersByTimeAsync(10 * limits.leaseMs)
    expect(lease.holdsLease()).toBe(true)
    expect(onLost).not.toHaveBeenCalled()
  })

  test('records the running process groups when it begins', async () => {
    const recordedGroupLists: (readonly ProcessGroup[])[] = []
    const renew = async (_deployment: unknown, _executor: unknown, groups: typeof running) =>
      recordedGroupLists.push(groups) > 0
    const running: readonly ProcessGroup[] = [{ pid: 7, started: 'then' }]
    await createTestLease(renew, running)
    expect(recordedGroupLists).toEqual([running])
  })

  test('is given up when the store does not respond, before other processes may take over', async () => {
    const { lease, onLost } = await createTestLease(() =>
      Promise.reject(new Error('the disk is full')),
    )
    await vi.advanceTimersByTimeAsync(limits.leaseGiveUpMs - 1)
    expect(onLost).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(limits.leaseRenewMs)
    expect(onLost).toHaveBeenCalledTimes(1)
    expect(lease.holdsLease()).toBe(false)
    await vi.advanceTimersByTimeAsync(limits.leaseMs)
    expect(onLost).toHaveBeenCalledTimes(1)
  })

  test('does not hold after a pause without renewal, even before the pause is noticed', async () => {
    const { lease } = await createTestLease(() => new Promise(() => undefined))
    vi.advanceTimersByTime(limits.leaseGiveUpMs + 1)
    expect(lease.holdsLease()).toBe(false)
  })

  test('is not renewed after its time, although the store would accept it', async () => {
    const { lease, onLost } = await createTestLease(() => Promise.resolve(true))
    await vi.advanceTimersByTimeAsync(limits.leaseRenewMs)
    const frozenMs = performance.now() + limits.leaseGiveUpMs + 1
    vi.spyOn(performance, 'now').mockImplementation(() => frozenMs)
    await vi.advanceTimersByTimeAsync(limits.leaseRenewMs)
    vi.restoreAllMocks()
    expect(onLost).toHaveBeenCalledTimes(1)
    expect(lease.holdsLease()).toBe(false)
  })

  test('is lost when the store accepts a renewal after the time of the lease', async () => {
    const { lease, onLost } = await createTestLease(async () => {
      const lateMs = performance.now() + limits.leaseGiveUpMs + 1
      vi.spyOn(performance, 'now').mockImplementation(() => lateMs)
      return true
    })
    await vi.advanceTimersByTimeAsync(limits.leaseRenewMs)
    vi.restoreAllMocks()
    expect(onLost).toHaveBeenCalledTimes(1)
    expect(lease.holdsLease()).toBe(false)
  })

  test('is lost immediately and forever when another process retires it', async () => {
    let isRenewed = false
    const { lease, onLost } = await createTestLease(() => Promise.resolve(isRenewed))
    await vi.advanceTimersByTimeAsync(limits.leaseRenewMs)
    expect(onLost).toHaveBeenCalledTimes(1)
    isRenewed = true
    await vi.advanceTimersByTimeAsync(limits.leaseMs)
    expect(lease.holdsLease()).toBe(false)
  })

  test('records each new process group once', async () => {
    const groups: ProcessGroup[] = []
    const recordedGroupLists: number[][] = []
    const { lease } = await createTestLease(
      async (_deployment, _executor, recordedGroups) =>
        recordedGroupLists.push(recordedGroups.map(({ pid }) => pid)) > 0,
      groups,
    )
    await lease.recordGroups()
    groups.push({ pid: 7, started: 'then' })
    await Promise.all([lease.recordGroups(), lease.recordGroups()])
    await lease.recordGroups()
    expect(recordedGroupLists).toEqual([[7]])
  })

  test('records a process group that starts during a renewal, after this renewal', async () => {
    const groups: ProcessGroup[] = []
    const recordedGroupLists: number[][] = []
    const renewal = Promise.withResolvers<void>()
    const { lease } = await createTestLease(async (_deployment, _executor, renewedGroups) => {
      const pids = renewedGroups.map(({ pid }) => pid)
      // The store receives the first renewal late.
      if (recordedGroupLists.length === 0 && pids.length === 0) await renewal.promise
      return recordedGroupLists.push(pids) > 0
    }, groups)
    await vi.advanceTimersByTimeAsync(limits.leaseRenewMs)
    groups.push({ pid: 7, started: 'then' })
    const recording = lease.recordGroups()
    await vi.advanceTimersByTimeAsync(0)
    renewal.resolve()
    await recording
    expect(recordedGroupLists).toEqual([[], [7]])
  })

  test('is given up in time although a renewal never ends, and later ones wait for it', async () => {
    let renewalCount = 0
    const { lease, onLost } = await createTestLease(() => {
      renewalCount += 1
      return new Promise(() => undefined)
    })
    await vi.advanceTimersByTimeAsync(limits.leaseGiveUpMs + limits.leaseRenewMs)
    expect(onLost).toHaveBeenCalledTimes(1)
    expect(lease.holdsLease()).toBe(false)
    expect(renewalCount).toBe(1)
  })
})
