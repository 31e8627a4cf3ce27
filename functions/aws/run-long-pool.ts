import { messageOf } from '../../shared/errors/error.ts'
import { type FunctionResources, openFunctionResources } from './function-resources.ts'
import { createTaskProtection } from './task-protection.ts'

/** One turn of a task of the long pool: takes what waits, if anything does, and does it. */
export type LongPoolTurn = (
  aws: FunctionResources,
  control: {
    readonly over: AbortSignal
    /** To be called with the work: the task is not ended meanwhile. */
    readonly protectWhile: <T>(work: Promise<T>) => Promise<T>
  },
) => Promise<void>

/** How long a task waits after a turn that failed, in ms. */
const pauseMs = 5_000

/**
 * Runs a task of the long pool until it is told to end: it takes nothing more then, a generator
 * leaves its deployment to the next one, and what runs is awaited. What fails comes again by
 * itself.
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
