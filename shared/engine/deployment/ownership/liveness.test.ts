import { expect, test } from 'vitest'
import { limits } from '../../../config/limits.ts'
import type { Lease } from '../../../records/head.ts'
import type { DeploymentId, EpochMs, ExecutorId } from '../../../records/ids.ts'
import { createLiveness } from './liveness.ts'

const deployment = 'organization/p/dev/1' as DeploymentId
const holder = { host: 'here', pid: 1, started: 'then', who: 'a test' }
const goneAfterMs = limits.leaseMs + limits.leaseMarginMs

/**
 * Creates the observed lease of an executor, and a list of the actions taken on it. `alive`:
 * whether the process of the executor runs, or undefined if that is unknown.
 */
function createObservedLease(
  alive: boolean | undefined,
  previousCounters?: Parameters<typeof createLiveness>[0]['previousCounters'],
) {
  const leases: Lease[] = []
  const actions: string[] = []
  let nowMs = 0
  const sleepListeners: (() => void)[] = []
  const deps: Parameters<typeof createLiveness>[0] = {
    holder,
    ...(previousCounters === undefined ? {} : { previousCounters }),
    isAlive: () => alive,
    endProcessGroup: ({ pid }) => void actions.push(`end ${pid}`),
    clock: {
      now: () => 0 as EpochMs,
      monotonicMs: () => nowMs,
      sleep: async ms => {
        nowMs += ms
        for (const listener of sleepListeners) listener()
      },
      repeat: () => () => undefined,
      defer: () => undefined,
    },
    leases: {
      register: () => Promise.resolve(),
      renew: () => Promise.resolve(true),
      leave: () => Promise.resolve(),
      retire: async (_deployment, executor) => void actions.push(`retire ${executor}`),
      list: () => Promise.resolve([...leases]),
    },
  }
  const liveness = createLiveness(deps, deployment)
  const writeLease = (counter: number, retired = false): void => {
    const groups = [{ pid: 7, started: 'then' }]
    leases[0] = { executor: 'e' as ExecutorId, holder, counter, retired, left: false, groups }
  }
  const observeAt = async (atMs: number): Promise<readonly string[]> => {
    nowMs = atMs
    return [...(await liveness.observe())]
  }
  const observeUntilKnown = async (): Promise<readonly string[]> => [
    ...(await liveness.observeUntilKnown()),
  ]
  const onSleep = (listener: (atMs: number) => void): void =>
    void sleepListeners.push(() => listener(nowMs))
  return {
    writeLease,
    observeAt,
    actions,
    observeUntilKnown,
    onSleep,
    isOverdue: liveness.isRenewalOverdue,
  }
}

test('an executor of this host is gone when its process has ended, and its plugins are ended before it is retired', async () => {
  const { writeLease, observeAt, actions } = createObservedLease(false)
  writeLease(3)
  expect(await observeAt(0)).toEqual(['e'])
  expect(actions).toEqual(['end 7', 'retire e'])
})

test('an executor that renews its lease is never gone', async () => {
  const { writeLease, observeAt, actions } = createObservedLease(undefined)
  for (let counter = 0; counter < 10; counter += 1) {
    writeLease(counter)
    expect(await observeAt(counter * goneAfterMs)).toEqual([])
  }
  expect(actions).toEqual([])
})

test('an executor of another host is gone when its counter is unchanged for the lease time and the margin', async () => {
  const { writeLease, observeAt, actions } = createObservedLease(undefined)
  writeLease(3)
  await observeAt(1_000)
  expect(await observeAt(1_000 + goneAfterMs)).toEqual([])
  expect(await observeAt(1_001 + goneAfterMs)).toEqual(['e'])
  expect(actions).toEqual(['retire e'])
})

test('a frozen process of this host is gone like one of another host', async () => {
  const { writeLease, observeAt } = createObservedLease(true)
  writeLease(3)
  await observeAt(0)
  expect(await observeAt(goneAfterMs + 1)).toEqual(['e'])
})

test('a retired executor is gone, and is not retired again', async () => {
  const { writeLease, observeAt, actions } = createObservedLease(true)
  writeLease(3, true)
  expect(await observeAt(0)).toEqual(['e'])
  expect(actions).toEqual([])
})

test('an executor whose living process renews no lease is known to be gone after the lease time', async () => {
  const { writeLease, observeUntilKnown } = createObservedLease(true)
  writeLease(3)
  expect(await observeUntilKnown()).toEqual(['e'])
})

test('an executor is known to be alive as soon as it renews its lease', async () => {
  const { writeLease, observeUntilKnown, onSleep, actions } = createObservedLease(true)
  writeLease(3)
  let renewedMs = 0
  onSleep(atMs => {
    writeLease(4)
    renewedMs ||= atMs
    if (atMs > renewedMs) throw new Error('the check continued after the renewal')
  })
  expect(await observeUntilKnown()).toEqual([])
  expect(actions).toEqual([])
})

test('an executor whose counter is unchanged since a nudge was sent is gone at the first check', async () => {
  const { writeLease, observeAt } = createObservedLease(undefined, { ['e' as ExecutorId]: 3 })
  writeLease(3)
  expect(await observeAt(0)).toEqual(['e'])
})

test('an executor that renewed its lease since the nudge is observed from the beginning', async () => {
  const { writeLease, observeAt } = createObservedLease(undefined, { ['e' as ExecutorId]: 2 })
  writeLease(3)
  expect(await observeAt(0)).toEqual([])
  expect(await observeAt(goneAfterMs)).toEqual([])
  expect(await observeAt(goneAfterMs + 1)).toEqual(['e'])
})

test('a renewal is overdue shortly after it was due, until it arrives or its executor is gone', async () => {
  const { writeLease, observeAt, isOverdue } = createObservedLease(undefined)
  writeLease(3)
  await observeAt(0)
  await observeAt(limits.leaseRenewMs)
  expect(isOverdue()).toBe(false)
  await observeAt(limits.leaseRenewMs + 3 * limits.livenessCheckMs)
  expect(isOverdue()).toBe(true)
  writeLease(4)
  await observeAt(40_000)
  expect(isOverdue()).toBe(false)
  await observeAt(80_000)
  expect(isOverdue()).toBe(true)
  await observeAt(40_000 + goneAfterMs + 1)
  expect(isOverdue()).toBe(false)
})
