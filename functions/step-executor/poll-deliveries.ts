/**
 * step-executor: receives messages with operation ids and runs the operations: begin, provider
 * call, outcome, end, arrivals. This file polls the queue for executors of a local process.
 * Functions and long-pool tasks receive messages in other ways, and run the operations with the
 * same executor.
 */
import type { ClockPort, RandomPort, LoggerPort } from '../../shared/ports/system.ts'
import type { ChainQueuePort, Delivery, DeliveryLimit } from '../../shared/ports/queue.ts'
import type { TelemetryPort } from '../../shared/ports/telemetry.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import type { Pool } from '../../shared/records/pool.ts'
import { messageOf } from '../../shared/errors/error.ts'
import { computeBackoffMs } from '../../shared/engine/deployment/retry/backoff.ts'
import type { Executor } from '../../shared/engine/executor/executor.ts'
import { errorSourceOf, retryPolicy } from '../../shared/providers/retry-policy.ts'
import { reportChainWaits } from './report-chain-waits.ts'

/** An executor that polls until it is ended. */
export interface PollingExecutor {
  /** Receives no more deliveries. Resolves when all deliveries in progress have ended. */
  readonly end: () => Promise<void>
}

/**
 * Maximum number of deliveries received in one batch. It does not limit the running operations: the
 * slots of the deployment do.
 */
const deliveriesMax = 64
/** Duration of one poll, in ms. */
const pollMs = 1_000

/** The ports that a poll needs. */
interface PollPorts {
  readonly chains: ChainQueuePort
  readonly clock: ClockPort
  readonly random: Pick<RandomPort, 'bytes'>
  readonly logger: LoggerPort
  readonly telemetry: TelemetryPort
}

/**
 * Polls the queue and passes each delivery to the executor. A delivery that fails is passed to
 * `onFailure`. The queue delivers its message again, unless this was its last delivery.
 */
export function pollDeliveries(
  ports: PollPorts,
  executor: Executor,
  options: {
    /** The only deployment to serve. Absent: all. */
    readonly deployment?: DeploymentId
    /** The only queue to serve, for an executor with a time limit. */
    readonly pool?: Pool
    /** The limit of operations in delivery, shared with other processes. */
    readonly deliveryLimit?: DeliveryLimit
    readonly onFailure?: (thrown: unknown, delivery: Delivery) => void
  } = {},
): PollingExecutor {
  const { onFailure = () => {}, ...receiveOptions } = options
  const shutdown = new AbortController()
  const runningDeliveries = new Set<Promise<void>>()
  let failureCount = 0
  /** Receives deliveries. After an error of the store, waits and returns no deliveries. */
  const receive = async (): Promise<readonly Delivery[]> => {
    try {
      const deliveries = await ports.chains.receive(deliveriesMax, pollMs, {
        ...receiveOptions,
        signal: shutdown.signal,
      })
      failureCount = 0
      return deliveries
    } catch (thrown) {
      if (errorSourceOf(thrown) !== 'store') throw thrown
      ports.logger.write('warn', 'queue.failed', { message: messageOf(thrown) })
      await ports.clock.sleep(
        computeBackoffMs(failureCount, retryPolicy.queue.retry, ports.random),
        shutdown.signal,
      )
      failureCount += 1
      return []
    }
  }
  const poll = async (): Promise<void> => {
    while (!shutdown.signal.aborted) {
      const deliveries = await receive()
      reportChainWaits(ports, deliveries)
      for (const delivery of deliveries) {
        const deliveryRun: Promise<void> = executor
          .runDelivery(delivery)
          .catch(thrown => {
            ports.logger.write('error', 'delivery.failed', { message: messageOf(thrown) })
            onFailure(thrown, delivery)
          })
          .finally(() => runningDeliveries.delete(deliveryRun))
        runningDeliveries.add(deliveryRun)
      }
    }
  }
  const polling = poll().catch(thrown =>
    ports.logger.write('error', 'queue.failed', { message: messageOf(thrown) }),
  )
  return {
    async end() {
      // Stops the poll in progress, so that another executor of this process gets the next message.
      shutdown.abort()
      await polling
      await Promise.allSettled([...runningDeliveries])
    },
  }
}
