import { expect, test } from 'vitest'
import { limits } from '../../../config/limits.ts'
import type { Lease } from '../../../records/head.ts'
import type { DeploymentId, EpochMs, ExecutorId } from '../../../records/ids.ts'
import { createLiveness } from './liveness.ts'

const deployment = 'organization/p/dev/1' as DeploymentId
const holder = { host: 'here', pid: 1, started: 'then', who: 'a test' }
const span = limits.leaseMs + limits.leaseMarginMs

/** Leases that a test writes, with what was done to them. */
function createObserved(
  alive: boolean | undefined,
  stood?: Parameters<typeof createLiveness>[0]['stood'],
) {
  const leases: Lease[] = []
  const done: string[] = []
  let nowMs = 0
  const slept: (() => void)[] = []
  const deps: Parameters<typeof createLiveness>[0] = {
    holder,
    ...(stood === undefined ? {} : { stood }),
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
  const each = (act: (atMs: number) => void): void => void slept.push(() => act(nowMs))
  return { write, look, done, lookUntil, each, isOverdue: liveness.isOverdue }
}

test('one of this host is gone once its process is, and its plugins are ended first', async () => {
  const { write, look, done } = createObserved(false)
  write(3)
  expect(await look(0)).toEqual(['e'])
  expect(done).toEqual(['end 7', 'retire e'])
})

test('one that renews is never gone, however long it takes', async () => {
  const { write, look, done } = createObserved(undefined)
  for (let counter = 0; counter < 10; counter += 1) {
    write(counter)
    expect(await look(counter * span)).toEqual([])
  }
  expect(done).toEqual([])
})

test('one elsewhere is gone when its counter stood still for a lease and the margin', async () => {
  const { write, look, done } = createObserved(undefined)
  write(3)
  await look(1_000)
  expect(await look(1_000 + span)).toEqual([])
  expect(await look(1_001 + span)).toEqual(['e'])
  expect(done).toEqual(['retire e'])
})

test('a frozen process of this host is gone like one elsewhere', async () => {
  const { write, look } = createObserved(true)
  write(3)
  await look(0)
  expect(await look(span + 1)).toEqual(['e'])
})

test('one that retired is gone, and not retired again', async () => {
  const { write, look, done } = createObserved(true)
  write(3, true)
  expect(await look(0)).toEqual(['e'])
  expect(done).toEqual([])
})

test('an identity that its living process gave up is known to be gone in the end', async () => {
  const { write, lookUntil } = createObserved(true)
  write(3)
  expect(await lookUntil()).toEqual(['e'])
})

test('one that renews is known to live as soon as it does', async () => {
  const { write, lookUntil, each, done } = createObserved(true)
  write(3)
  let renewedMs = 0
  each(atMs => {
    write(4)
    renewedMs ||= atMs
    if (atMs > renewedMs) throw new Error('it was known')
  })
  expect(await lookUntil()).toEqual([])
  expect(done).toEqual([])
})

test('one that stands as it stood when a nudge was sent is gone at the first look', async () => {
  const { write, look } = createObserved(undefined, { ['e' as ExecutorId]: 3 })
  write(3)
  expect(await look(0)).toEqual(['e'])
})

test('one that has renewed since is looked at from anew', async () => {
  const { write, look } = createObserved(undefined, { ['e' as ExecutorId]: 2 })
  write(3)
  expect(await look(0)).toEqual([])
  expect(await look(span)).toEqual([])
  expect(await look(span + 1)).toEqual(['e'])
})

test('a renewal is overdue a while after it was due, until it comes or who owes it is gone', async () => {
  const { write, look, isOverdue } = createObserved(undefined)
  write(3)
  await look(0)
  await look(limits.leaseRenewMs)
  expect(isOverdue()).toBe(false)
  await look(limits.leaseRenewMs + 3 * limits.lookMs)
  expect(isOverdue()).toBe(true)
  write(4)
  await look(40_000)
  expect(isOverdue()).toBe(false)
  await look(80_000)
  expect(isOverdue()).toBe(true)
  await look(40_000 + span + 1)
  expect(isOverdue()).toBe(false)
})
