import { expect, test, vi } from 'vitest'
import { createError } from '../shared/errors/error.ts'
import { noTelemetry } from '../shared/ports/telemetry.ts'
import { type EpochMs, stackIdOf } from '../shared/records/ids.ts'
import { type QueueAgePorts, reportQueueAges } from './report-queue-ages.ts'

const oldStack = stackIdOf('shop', 'old')
const newStack = stackIdOf('shop', 'new')

/** Reports once over two stacks with a waiting request each. Returns the recorded ages. */
async function reportOnce(ports: Partial<QueueAgePorts> = {}) {
  const ages: unknown[] = []
  const shutdown = new AbortController()
  const requestedAt = new Map([
    [oldStack, 4_000],
    [newStack, 7_000],
  ])
  await reportQueueAges(
    {
      catalog: {
        listStacks: async () => ({
          stacks: [{ id: newStack }, { id: oldStack }] as never,
          unreadable: [],
        }),
      },
      requests: {
        listWaiting: async id => [{ at: requestedAt.get(id) }] as never,
      },
      readOldestChainAgeMs: async () => 1_500,
      clock: { now: () => 10_000 as EpochMs, sleep: async () => shutdown.abort() },
      logger: { write: () => undefined },
      telemetry: { ...noTelemetry, isOn: true, recordAge: (...age) => void ages.push(age) },
      ...ports,
    },
    shutdown.signal,
  )
  return ages
}

test('the ages of the oldest chain and of the oldest request of all stacks are reported', async () => {
  expect(await reportOnce()).toEqual([
    ['antichain.chain.age', 1.5],
    ['antichain.request.age', 6],
  ])
})

test('without waiting requests their age is 0', async () => {
  expect(await reportOnce({ requests: { listWaiting: async () => [] } })).toContainEqual([
    'antichain.request.age',
    0,
  ])
})

test('a stack with an unreadable request hides no age of the other stacks', async () => {
  const listWaiting = async (id: unknown) => {
    if (id === newStack) throw createError('RECORD_DAMAGED', 'the request is damaged')
    return [{ at: 4_000 }] as never
  }
  expect(await reportOnce({ requests: { listWaiting } })).toContainEqual([
    'antichain.request.age',
    6,
  ])
})

test('an unreadable store is logged, and the next measurement follows', async () => {
  const write = vi.fn()
  const readOldestChainAgeMs = async (): Promise<number> => {
    throw createError('STORE_UNAVAILABLE', 'the disk is full')
  }
  expect(await reportOnce({ readOldestChainAgeMs, logger: { write } })).toEqual([])
  expect(write).toHaveBeenCalledWith('warn', 'ages.unreadable', expect.anything())
})

test('without a collector nothing is read', async () => {
  const readOldestChainAgeMs = vi.fn(async () => 1)
  await reportOnce({ readOldestChainAgeMs, telemetry: noTelemetry })
  expect(readOldestChainAgeMs).not.toHaveBeenCalled()
})
