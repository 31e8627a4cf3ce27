import type { QueueName } from '../../shared/config/aws-resource-names.ts'
import { messageOf } from '../../shared/errors/error.ts'
import { type FunctionResources, openFunctionResources } from './function-resources.ts'
import { createTaskProtection } from './task-protection.ts'

/** One round of a long-pool task: receives waiting messages, if there are any, and serves them. */
export type LongPoolRound = (
  resources: FunctionResources,
  control: {
    readonly shutdown: AbortSignal
    /** Waits for running work, and protects the task from scale-in meanwhile. */
    readonly protectWhile: <T>(work: Promise<T>) => Promise<T>
  },
) => Promise<void>

/** Pause of a task after a round that failed, in ms. */
const failurePauseMs = 5_000
/** Interval at which a busy task writes its metric, in ms. The scaling adds up these values. */
const busyReportMs = 60_000

/**
 * Runs a task of the long pool until SIGTERM or SIGINT. After the signal it receives no messages,
 * its generator hands over, and running operations are completed. Messages that failed are
 * delivered again. `busyQueue` names the queue if `runRound` removes a message before it serves the
 * message. The task then writes a metric, because the scaling cannot see the removed message. A
 * task that ran the program of an unreviewed preview ends.
 */
export async function runLongPool(
  part: 'generator' | 'executor',
  runRound: LongPoolRound,
  busyQueue?: QueueName,
): Promise<void> {
  const resources = openFunctionResources(process.env, part)
  const { clock, logger, telemetry } = resources.platform
  const shutdown = new AbortController()
  process.once('SIGTERM', () => shutdown.abort())
  process.once('SIGINT', () => shutdown.abort())
  const protection = createTaskProtection(process.env, logger)
  const protectWhile = async <T>(work: Promise<T>): Promise<T> => {
    const stopReporting = busyQueue === undefined ? undefined : reportBusy(resources, busyQueue)
    await protection.set(true)
    try {
      return await work
    } finally {
      stopReporting?.()
      await protection.set(false)
    }
  }
  while (!shutdown.signal.aborted) {
    try {
      await runRound(resources, { shutdown: shutdown.signal, protectWhile })
    } catch (thrown) {
      logger.write('error', 'task.failed', { message: messageOf(thrown) })
      await clock.sleep(failurePauseMs, shutdown.signal)
    }
    if (!resources.hasRunUnreviewed()) continue
    await telemetry.flush()
    resources.endEnvironment()
  }
  await telemetry.flush()
  resources.platform.close()
}

/**
 * Writes the metric of a busy task now and once a minute. Returns the function that stops these
 * writes.
 */
function reportBusy(
  { putMetric, platform }: Pick<FunctionResources, 'putMetric' | 'platform'>,
  queue: QueueName,
): () => void {
  putMetric('longPoolBusy', 1, queue)
  return platform.clock.repeat(busyReportMs, () => putMetric('longPoolBusy', 1, queue))
}
