/**
 * step-executor: takes messages of operation ids and runs them: begin, provider call, outcome, end,
 * arrivals. The same handler on every platform; who polls the queue is the platform's affair.
 */
import type { ClockPort, RandomPort } from '../../shared/ports/system.ts'
import type { ChainQueuePort, Delivery, Share } from '../../shared/ports/queue.ts'
import type { LoggerPort } from '../../shared/ports/system.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import type { Pool } from '../../shared/records/pool.ts'
import { messageOf } from '../../shared/errors/error.ts'
import { computeBackoffMs } from '../../shared/engine/deployment/retry/backoff.ts'
import type { Executor } from '../../shared/engine/executor/executor.ts'
import { errorSourceOf, retryPolicy } from '../../shared/providers/retry-policy.ts'

/** An executor that polls until it is ended. */
export interface PollingExecutor {
  /** Receives nothing more; resolves when everything under way has been handled. */
  readonly end: () => Promise<void>
}

/** Most deliveries taken at once: the slots of the deployment bound what runs, not this. */
const deliveriesMax = 64
/** How long one poll waits, in ms. */
const pollMs = 1_000

/**
 * Polls the queue and hands each delivery to the executor; a delivery whose handling fails is told
 * to `failed` and comes again.
 */
export function pollDeliveries(
  ports: {
    readonly chains: ChainQueuePort
    readonly clock: ClockPort
    readonly random: Pick<RandomPort, 'bytes'>
    readonly logger: LoggerPort
  },
  executor: Executor,
  options: {
    /** The only deployment that is served, where that is so. */
    readonly deployment?: DeploymentId
    /** The only queue that is served, by an executor with a time limit. */
    readonly pool?: Pool
    /** What it and others of other processes may have on loan together. */
    readonly share?: Share
    readonly onFailure?: (thrown: unknown, delivery: Delivery) => void
  } = {},
): PollingExecutor {
  const { onFailure = () => {}, ...which } = options
  const over = new AbortController()
  const open = new Set<Promise<void>>()
  let refusals = 0
  /** A queue that has a bad moment is asked again, or nobody would ever do what waits in it. */
  const receive = async (): Promise<readonly Delivery[]> => {
    try {
      const deliveries = await ports.chains.receive(deliveriesMax, pollMs, {
        ...which,
        signal: over.signal,
      })
      refusals = 0
      return deliveries
    } catch (thrown) {
      if (errorSourceOf(thrown) !== 'store') throw thrown
      ports.logger.write('warn', 'queue.failed', { message: messageOf(thrown) })
      await ports.clock.sleep(
        computeBackoffMs(refusals, retryPolicy.queue.again, ports.random),
        over.signal,
      )
      refusals += 1
      return []
    }
  }
  const poll = async (): Promise<void> => {
    while (!over.signal.aborted) {
      const deliveries = await receive()
      for (const delivery of deliveries) {
        const work: Promise<void> = executor
          .runDelivery(delivery)
          .catch(thrown => {
            ports.logger.write('error', 'delivery.failed', { message: messageOf(thrown) })
            onFailure(thrown, delivery)
          })
          .finally(() => open.delete(work))
        open.add(work)
      }
    }
  }
  const polling = poll().catch(thrown =>
    ports.logger.write('error', 'queue.failed', { message: messageOf(thrown) }),
  )
  return {
    async end() {
      // Another executor of this process must get what comes next.
      over.abort()
      await polling
      await Promise.allSettled([...open])
    },
  }
}
