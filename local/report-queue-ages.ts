import { messageOf } from '../shared/errors/error.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/embedded-platform.ts'
import type { StackRequest } from '../shared/records/stack-request.ts'
import { measureOldestRequestMs, skipUnreadable } from './oldest-request.ts'

/** The ports from which the ages are read. */
export type QueueAgePorts = Pick<EmbeddedPlatform, 'readOldestChainAgeMs' | 'telemetry'> & {
  readonly catalog: Pick<EmbeddedPlatform['catalog'], 'listStacks'>
  readonly requests: Pick<EmbeddedPlatform['requests'], 'listWaiting'>
  readonly clock: Pick<EmbeddedPlatform['clock'], 'now' | 'sleep'>
  readonly logger: EmbeddedPlatform['logger']
}

/** Interval between two measurements, in ms. */
const intervalMs = 30_000

/**
 * Sends the ages of the oldest waiting chain and request to the collector until `shutdown` aborts.
 * Without a collector it reads nothing.
 */
export async function reportQueueAges(ports: QueueAgePorts, shutdown: AbortSignal): Promise<void> {
  const { clock, logger, telemetry } = ports
  if (!telemetry.isOn) return
  while (!shutdown.aborted) {
    try {
      telemetry.recordAge('antichain.chain.age', (await ports.readOldestChainAgeMs()) / 1_000)
      telemetry.recordAge('antichain.request.age', (await readOldestRequestAgeMs(ports)) / 1_000)
    } catch (thrown) {
      logger.write('warn', 'ages.unreadable', { message: messageOf(thrown) })
    }
    await clock.sleep(intervalMs, shutdown)
  }
}

/**
 * Returns the age in ms of the oldest request that has not ended, 0 without one. The requests of a
 * stack with an unreadable record do not count.
 */
async function readOldestRequestAgeMs({
  catalog,
  requests,
  clock,
}: QueueAgePorts): Promise<number> {
  const { stacks } = await catalog.listStacks()
  const oldestRequests: StackRequest[] = []
  for (const { id } of stacks)
    oldestRequests.push(...((await skipUnreadable(() => requests.listWaiting(id, 1))) ?? []))
  return measureOldestRequestMs(oldestRequests, clock.now())
}
