import { randomInt } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import { messageOf } from '../../errors/error.ts'
import { producerOf, whoseError } from '../whose-error.ts'

/**
 * Starts a plugin, and again after a pause when it fails before anything was asked of it: a machine
 * that is short of something may have it a moment later. A start that took long is not repeated.
 * Throws what the last try threw.
 */
export async function startAgain<T>(
  start: () => Promise<T>,
  about: { readonly isWorthIt: () => boolean; readonly said: (text: string) => void },
): Promise<T> {
  const { again } = whoseError.plugin
  for (let number = 1; ; number++) {
    const beganMs = performance.now()
    try {
      return await start()
    } catch (thrown) {
      const wasQuick = performance.now() - beganMs < limits.aliveMs
      const mayBeBetter = producerOf(thrown) === 'plugin' && wasQuick && about.isWorthIt()
      if (!mayBeBetter || number === again.times) throw thrown
      about.said(`${messageOf(thrown)}; it is started again`)
      const pauseMs = again.firstMs * 2 ** (number - 1)
      await sleep(randomInt(pauseMs / 2, pauseMs))
    }
  }
}
