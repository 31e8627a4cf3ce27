import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import { messageOf } from '../../errors/error.ts'
import { errorSourceOf, retryPolicy } from '../retry-policy.ts'

/**
 * Starts a plugin, and again after a pause when it fails, because a lack of resources may be
 * temporary. No request has been sent before. A start that took long is not retried. Throws the
 * error of the last attempt.
 */
export async function retryStart<T>(
  start: () => Promise<T>,
  options: { readonly shouldRetry: () => boolean; readonly report: (text: string) => void },
): Promise<T> {
  const { again } = retryPolicy.plugin
  for (let number = 1; ; number++) {
    const beganMs = performance.now()
    try {
      return await start()
    } catch (thrown) {
      const wasQuick = performance.now() - beganMs < limits.aliveMs
      const mayBeBetter = errorSourceOf(thrown) === 'plugin' && wasQuick && options.shouldRetry()
      if (!mayBeBetter || number === again.times) throw thrown
      options.report(`${messageOf(thrown)}; it is started again`)
      const pauseMs = again.firstMs * 2 ** (number - 1)
      await sleep(randomInt(pauseMs / 2, pauseMs))
    }
  }
}
