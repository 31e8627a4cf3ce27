import { expect, test } from 'vitest'
import { limits } from '../../../config/limits.ts'
import type { Lease } from '../../../records/head.ts'
import type { DeploymentId, EpochMs, ExecutorId } from '../../../records/ids.ts'
import { createLiveness } from './liveness.ts'

const deployment = 'organization/p/dev/1' as DeploymentId
const holder = { host: 'here', pid: 1, started: 'then', who: 'a test' }
const span = limits.leaseMs + limits.leaseMarginMs

/** Creates the observed lease of an executor, and a list of the actions taken on it. */
function createObservedLease(
  alive: boolean | undefined,
  previousCounters?: Parameters<typeof createLiveness>[0]['previousCounters'],
) {
  const leases: Lease[] = []
  const done: string[] = []
  let nowMs = 0
  const slept: (() => void)[] = []
  const deps: Parameters<typeof createLiveness>[0] = {
    holder,
    ...(previousCounters === undefined ? {} : { previousCounters }),
    isAlive: () => alive,
    endGroup: ({ pid }) => void done.push(`end ${pid}`),
    clock: {
      now: () => 0 as EpochMs,
      monotonicMs: () => nowMs,
      sleep: async ms => {
        nowMs += ms
        for (const act of slept) act()
      },
      repeat: () => () => undefined,
      defer: () => undefined,
    },
    leases: {
      register: () => Promise.resolve(),
      renew: () => Promise.resolve(true),
      leave: () => Promise.resolve(),
      retire: async (_deployment, executor) => void done.push(`retire ${executor}`),
      list: () => Promise.resolve([...leases]),
    },
  }
  const liveness = createLiveness(deps, deployment)
  const write = (counter: number, retired = false): void => {
    const groups = [{ pid: 7, started: 'then' }]
    leases[0] = { executor: 'e' as ExecutorId, holder, counter, retired, left: false, groups }
  }
  const look = async (atMs: number): Promise<readonly string[]> => {
    nowMs = atMs
    return [...(await liveness.observe())]
  }
  const lookUntil = async (): Promise<readonly string[]> => [
    ...(await liveness.observeUntilKnown()),
  ]
  const onSleep = (act: (atMs: number) => void): void => void slept.push(() => act(nowMs))
  return { write, look, done, lookUntil, onSleep, isOverdue: liveness.isRenewalOverdue }
}

test('an executor of this host is gone when its process has ended, and its plugins are ended first', async () => {
  const { write, look, done } = createObservedLease(false)
  write(3)
  expect(await look(0)).toEqual(['e'])
  expect(done).toEqual(['end 7', 'retire e'])
})

test('an executor that renews its lease is never gone', async () => {
  const { write, look, done } = createObservedLease(undefined)
  for (let counter = 0; counter < 10; counter += 1) {
    write(counter)
    expect(await look(counter * span)).toEqual([])
  }
  expect(done).toEqual([])
})

test('an executor of another host is gone when its counter is unchanged for the lease time and the margin', async () => {
  const { write, look, done } = createObservedLease(undefined)
  write(3)
  await look(1_000)
  expect(await look(1_000 + span)).toEqual([])
  expect(await look(1_001 + span)).toEqual(['e'])
  expect(done).toEqual(['retire e'])
})

test('a frozen process of this host is gone like one of another host', async () => {
  const { write, look } = createObservedLease(true)
  write(3)
  await look(0)
  expect(await look(span + 1)).toEqual(['e'])
})

test('a retired executor is gone, and is not retired again', async () => {
  const { write, look, done } = createObservedLease(true)
  write(3, true)
  expect(await look(0)).toEqual(['e'])
  expect(done).toEqual([])
})

test('an executor whose living process renews no lease is known to be gone after the lease time', async () => {
  const { write, lookUntil } = createObservedLease(true)
  write(3)
  expect(await lookUntil()).toEqual(['e'])
})

test('an executor is known to be alive as soon as it renews its lease', async () => {
  const { write, lookUntil, onSleep, done } = createObservedLease(true)
  write(3)
  let renewedMs = 0
  onSleep(atMs => {
    write(4)
    renewedMs ||= atMs
    if (atMs > renewedMs) throw new Error('the check continued after the renewal')
  })
  expect(await lookUntil()).toEqual([])
  expect(done).toEqual([])
})

test('an executor whose counter is unchanged since a nudge was sent is gone at the first check', async () => {
  const { write, look } = createObservedLease(undefined, { ['e' as ExecutorId]: 3 })
  write(3)
  expect(await look(0)).toEqual(['e'])
})

test('an executor that renewed its lease since the nudge is observed from the beginning', async () => {
  const { write, look } = createObservedLease(undefined, { ['e' as ExecutorId]: 2 })
  write(3)
  expect(await look(0)).toEqual([])
  expect(await look(span)).toEqual([])
  expect(await look(span + 1)).toEqual(['e'])
})

test('a renewal is overdue shortly after it was due, until it arrives or its executor is gone', async () => {
  const { write, look, isOverdue } = createObservedLease(undefined)
  write(3)
  await look(0)
  await look(limits.leaseRenewMs)
  expect(isOverdue()).toBe(false)
  await look(limits.leaseRenewMs + 3 * limits.livenessCheckMs)
  expect(isOverdue()).toBe(true)
  write(4)
  await look(40_000)
  expect(isOverdue()).toBe(false)
  await look(80_000)
  expect(isOverdue()).toBe(true)
  await look(40_000 + span + 1)
  expect(isOverdue()).toBe(false)
})
