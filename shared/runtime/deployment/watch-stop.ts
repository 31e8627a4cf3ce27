import type { DeploymentId } from '../../records/ids.ts'
import type { RunInput } from '../environment/run-input.ts'

/** Interval at which a running deployment checks for a stop request, in ms. */
const stopLookMs = 1_000

/**
 * Watches for a stop of the deployment by another process. A generator that lost the log meanwhile
 * also learns here that the deployment is closed. Returns the function that stops watching.
 */
export function watchStop(
  { platform }: RunInput,
  deployment: DeploymentId,
  onStop: (isForced: boolean) => void,
): () => void {
  let isLooking = false
  return platform.clock.repeat(stopLookMs, () => {
    if (isLooking) return
    isLooking = true
    platform.control
      .read(deployment)
      .then(
        control => {
          if (control === undefined || control.stop === 'none') return
          onStop(control.stop === 'forced' && !control.closed)
        },
        () => undefined,
      )
      .finally(() => (isLooking = false))
  })
}
