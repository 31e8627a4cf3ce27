import { messageOf } from '../../shared/errors/error.ts'
import { type FunctionResources, openFunctionResources } from './function-resources.ts'
import { createTaskProtection } from './task-protection.ts'

/** One turn of a long-pool task: takes waiting work, if there is any, and does it. */
export type LongPoolTurn = (
  aws: FunctionResources,
  control: {
    readonly over: AbortSignal
    /** Wraps the work, so that the task is protected from scale-in meanwhile. */
    readonly protectWhile: <T>(work: Promise<T>) => Promise<T>
  },
) => Promise<void>

/** Pause of a task after a turn that failed, in ms. */
const pauseMs = 5_000

/**
 * Runs a task of the long pool until it is told to shut down. It then takes no more work, its
 * generator hands over, and it waits for running work. Failed work is delivered again.
 */
export async function runLongPool(turn: LongPoolTurn): Promise<void> {
  const resources = openFunctionResources(process.env)
  const { clock, logger } = resources.platform
  const over = new AbortController()
  process.once('SIGTERM', () => over.abort())
  process.once('SIGINT', () => over.abort())
  const protection = createTaskProtection(process.env, logger)
  const protectWhile = async <T>(work: Promise<T>): Promise<T> => {
    await protection.set(true)
    try {
      return await work
    } finally {
      await protection.set(false)
    }
  }
  while (!over.signal.aborted) {
    try {
      await turn(resources, { over: over.signal, protectWhile })
    } catch (thrown) {
      logger.write('error', 'task.failed', { message: messageOf(thrown) })
      await clock.sleep(pauseMs, over.signal)
    }
  }
  resources.platform.close()
}
