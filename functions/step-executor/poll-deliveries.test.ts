import { expect, test, vi } from 'vitest'
import { createError } from '../../shared/errors/error.ts'
import { createSystemClock } from '../../shared/platform/system/clock.ts'
import { silentLogger } from '../../shared/platform/system/logger.ts'
import { noTelemetry } from '../../shared/ports/telemetry.ts'
import type { ChainQueuePort, Delivery } from '../../shared/ports/queue.ts'
import type { DeploymentId, EpochMs, OperationId } from '../../shared/records/ids.ts'
import { pollDeliveries } from './poll-deliveries.ts'

/** Makes each random pause its maximum. */
const random = { bytes: () => new Uint8Array([255]) }
const silentPorts = { random, logger: silentLogger, telemetry: noTelemetry }

const delivery: Delivery = {
  message: { deployment: 'organization/p/dev/1' as DeploymentId, operations: [1 as OperationId] },
  receipt: 'r',
  deliveries: 1,
}

test('a queue that fails once is polled again', async () => {
  const handled = Promise.withResolvers<Delivery>()
  let receives = 0
  const receive: ChainQueuePort['receive'] = async () => {
    receives += 1
    if (receives === 1) throw createError('STORE_UNAVAILABLE', 'the store does not respond')
    return receives === 2 ? [delivery] : new Promise(() => undefined)
  }
  const chains = { receive } as ChainQueuePort
  const clock = { ...createSystemClock(), sleep: () => Promise.resolve() }
  const runDelivery = async (received: Delivery): Promise<void> => handled.resolve(received)
  pollDeliveries({ ...silentPorts, chains, clock }, { runDelivery })
  expect(await handled.promise).toBe(delivery)
})

test('a queue that keeps failing is polled with growing pauses until it responds', async () => {
  const slept: number[] = []
  const allReceived = Promise.withResolvers<void>()
  let receives = 0
  const receive: ChainQueuePort['receive'] = async () => {
    receives += 1
    if (receives === 7) return []
    if (receives === 9) allReceived.resolve()
    if (receives >= 9) return new Promise(() => undefined)
    throw createError('STORE_UNAVAILABLE', 'the queue does not respond')
  }
  const sleep = async (ms: number): Promise<void> => void slept.push(ms)
  const clock = { ...createSystemClock(), sleep }
  const ports = { ...silentPorts, chains: { receive } as ChainQueuePort, clock }
  pollDeliveries(ports, { runDelivery: async () => undefined })
  await allReceived.promise
  expect(slept).toEqual([1_000, 2_000, 4_000, 8_000, 15_000, 15_000, 1_000])
})

test('the wait of a chain until its first delivery is measured', async () => {
  const handled = Promise.withResolvers<void>()
  const recordDuration = vi.fn()
  const received = [
    { ...delivery, sentAt: 4_000 },
    { ...delivery, sentAt: 1_000, deliveries: 2 },
  ]
  const receive: ChainQueuePort['receive'] = async () =>
    received.length > 0 ? received.splice(0) : new Promise(() => undefined)
  pollDeliveries(
    {
      ...silentPorts,
      chains: { receive } as ChainQueuePort,
      clock: { ...createSystemClock(), now: () => 6_500 as EpochMs },
      telemetry: { ...noTelemetry, isOn: true, recordDuration },
    },
    { runDelivery: async () => handled.resolve() },
  )
  await handled.promise
  expect(recordDuration.mock.calls).toEqual([
    ['antichain.chain.wait', 2.5, { 'antichain.project': 'p', 'antichain.stack': 'dev' }],
  ])
})
