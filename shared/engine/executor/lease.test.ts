import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { limits } from '../../config/limits.ts'
import type { LeasesPort } from '../../ports/records.ts'
import type { ProcessGroup } from '../../records/head.ts'
import type { DeploymentId, EpochMs, ExecutorId } from '../../records/ids.ts'
import { keepLease } from './lease.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }))
afterEach(() => void vi.useRealTimers())

const about = {
  deployment: 'organization/shop/dev/1' as DeploymentId,
  executor: 'e' as ExecutorId,
  holder: { host: 'h', pid: 1, started: 's', who: 'w' },
}

async function keeping(renew: LeasesPort['renew'], groups: readonly ProcessGroup[] = []) {
  const lost = vi.fn()
  const retired: string[] = []
  const lease = await keepLease(
    {
      leases: {
        register: () => Promise.resolve(),
        renew,
        retire: () => Promise.resolve(),
        leave: async (_deployment, executor) => void retired.push(executor),
        list: () => Promise.resolve([]),
      },
      clock: {
        now: () => 0 as EpochMs,
        monotonicMs: () => performance.now(),
        sleep: () => Promise.resolve(),
        every: (ms, call) => {
          const timer = setInterval(call, ms)
          return () => clearInterval(timer)
        },
        soon: () => undefined,
      },
      groups: () => groups,
      lost,
    },
    about,
  )
  return { lease, lost, retired }
}

describe('a lease', () => {
  test('holds as long as it is renewed', async () => {
    const { lease, lost } = await keeping(() => Promise.resolve(true))
    await vi.advanceTimersByTimeAsync(10 * limits.leaseMs)
    expect(lease.holds()).toBe(true)
    expect(lost).not.toHaveBeenCalled()
  })

  test('names the processes that run already when it begins', async () => {
    const named: (readonly ProcessGroup[])[] = []
    const renew = async (_deployment: unknown, _executor: unknown, groups: typeof running) =>
      named.push(groups) > 0
    const running: readonly ProcessGroup[] = [{ pid: 7, started: 'then' }]
    await keeping(renew, running)
    expect(named).toEqual([running])
  })

  test('is given up before others may act when the store does not answer', async () => {
    const { lease, lost } = await keeping(() => Promise.reject(new Error('the disk is full')))
    await vi.advanceTimersByTimeAsync(limits.leaseGiveUpMs - 1)
    expect(lost).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(limits.leaseRenewMs)
    expect(lost).toHaveBeenCalledTimes(1)
    expect(lease.holds()).toBe(false)
    await vi.advanceTimersByTimeAsync(limits.leaseMs)
    expect(lost).toHaveBeenCalledTimes(1)
  })

  test('does not hold after a pause in which nobody renewed it, even before it is noticed', async () => {
    const { lease } = await keeping(() => new Promise(() => undefined))
    vi.setSystemTime(0)
    vi.advanceTimersByTime(limits.leaseGiveUpMs + 1)
    expect(lease.holds()).toBe(false)
  })

  test('that was missed is not renewed again, although the store would', async () => {
    const { lease, lost } = await keeping(() => Promise.resolve(true))
    vi.setSystemTime(0)
    await vi.advanceTimersByTimeAsync(limits.leaseRenewMs)
    const frozenMs = performance.now() + limits.leaseGiveUpMs + 1
    vi.spyOn(performance, 'now').mockImplementation(() => frozenMs)
    await vi.advanceTimersByTimeAsync(limits.leaseRenewMs)
    vi.restoreAllMocks()
    expect(lost).toHaveBeenCalledTimes(1)
    expect(lease.holds()).toBe(false)
  })

  test('that was retired by somebody else is lost at once, for ever', async () => {
    let isMine = false
    const { lease, lost } = await keeping(() => Promise.resolve(isMine))
    await vi.advanceTimersByTimeAsync(limits.leaseRenewMs)
    expect(lost).toHaveBeenCalledTimes(1)
    isMine = true
    await vi.advanceTimersByTimeAsync(limits.leaseMs)
    expect(lease.holds()).toBe(false)
  })

  test('names process groups before anything is asked of them, once', async () => {
    const groups: ProcessGroup[] = []
    const named: number[][] = []
    const { lease } = await keeping(
      async (_deployment, _executor, given) => named.push(given.map(({ pid }) => pid)) > 0,
      groups,
    )
    await lease.nameGroups()
    groups.push({ pid: 7, started: 'then' })
    await Promise.all([lease.nameGroups(), lease.nameGroups()])
    await lease.nameGroups()
    expect(named).toEqual([[7]])
  })
})
