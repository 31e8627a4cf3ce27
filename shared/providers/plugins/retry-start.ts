import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import { messageOf } from '../../errors/error.ts'
import { errorSourceOf, retryPolicy } from '../retry-policy.ts'

/**
 * Starts a plugin. Repeats a start that failed with PLUGIN_FAILED, because a lack of memory or
 * processes may be temporary. A pause precedes each repetition. A repetition is safe, because a
 * start neither reads nor changes a resource. A start is not repeated if `shouldRetry` returns
 * false after its failure, or if it took `firstResponseTimeoutMs` or longer. A slow failure rarely
 * comes from such a lack, and a repetition would make the user wait as long again. Throws the error
 * of the last attempt.
 */
export async function retryStart<T>(
  start: () => Promise<T>,
  options: { readonly shouldRetry: () => boolean; readonly report: (text: string) => void },
): Promise<T> {
  const { retry } = retryPolicy.plugin
  for (let attempt = 1; ; attempt++) {
    const startedAtMs = performance.now()
    try {
      return await start()
    } catch (thrown) {
      const wasQuick = performance.now() - startedAtMs < limits.firstResponseTimeoutMs
      const mayRecover = errorSourceOf(thrown) === 'plugin' && wasQuick && options.shouldRetry()
      if (!mayRecover || attempt === retry.attemptsMax) throw thrown
      options.report(`${messageOf(thrown)}; it is started again`)
      const pauseMs = retry.firstPauseMs * 2 ** (attempt - 1)
      await sleep(randomInt(pauseMs / 2, pauseMs))
    }
  }
}
