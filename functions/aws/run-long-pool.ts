import type { QueueName } from '../../shared/config/aws-resource-names.ts'
import { messageOf } from '../../shared/errors/error.ts'
import { type FunctionResources, openFunctionResources } from './function-resources.ts'
import { createTaskProtection } from './task-protection.ts'

/** One turn of a long-pool task: takes waiting work, if there is any, and does it. */
export type LongPoolTurn = (
  resources: FunctionResources,
  control: {
    readonly shutdown: AbortSignal
    /** Wraps the work, so that the task is protected from scale-in meanwhile. */
    readonly protectWhile: <T>(work: Promise<T>) => Promise<T>
  },
) => Promise<void>

/** Pause of a task after a turn that failed, in ms. */
const pauseMs = 5_000
/** Interval at which a busy task writes its metric, in ms. The scaling sums up each minute. */
const busyReportMs = 60_000

/**
 * Runs a task of the long pool until SIGTERM or SIGINT. The task then takes no more work, its
 * generator hands over, and running work is completed. Failed work is delivered again. `busyQueue`
 * names the queue if `turn` removes the message before the work. The task then writes a metric,
 * because the scaling cannot see the removed message. A task that ran an unreviewed program ends.
 */
export async function runLongPool(turn: LongPoolTurn, busyQueue?: QueueName): Promise<void> {
  const resources = openFunctionResources(process.env)
  const { clock, logger } = resources.platform
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
      await turn(resources, { shutdown: shutdown.signal, protectWhile })
    } catch (thrown) {
      logger.write('error', 'task.failed', { message: messageOf(thrown) })
      await clock.sleep(pauseMs, shutdown.signal)
    }
    if (resources.hasRunUnreviewed()) resources.endEnvironment()
  }
  resources.platform.close()
}

/** Writes the metric of a busy task now and once a minute. Returns a function that stops it. */
function reportBusy(
  { putMetric, platform }: Pick<FunctionResources, 'putMetric' | 'platform'>,
  queue: QueueName,
): () => void {
  putMetric('longPoolBusy', 1, queue)
  return platform.clock.repeat(busyReportMs, () => putMetric('longPoolBusy', 1, queue))
}
