import type { DeploymentId } from '../../records/ids.ts'
import type { RunInput } from '../environment/run-input.ts'

/** Interval at which a running deployment checks for a stop request, in ms. */
const stopPollMs = 1_000

/**
 * Watches for a stop of the deployment by another process. Calls `onStop` at each check that finds
 * the stop flag. A close sets the stop flag too, so a generator that has lost the log notices the
 * close. A closed deployment never counts as forced. Returns the function that stops watching.
 */
export function watchStop(
  { platform }: RunInput,
  deployment: DeploymentId,
  onStop: (isForced: boolean) => void,
): () => void {
  let isReading = false
  return platform.clock.repeat(stopPollMs, () => {
    if (isReading) return
    isReading = true
    platform.control
      .read(deployment)
      .then(
        control => {
          if (control === undefined || control.stop === 'none') return
          onStop(control.stop === 'forced' && !control.closed)
        },
        () => undefined,
      )
      .finally(() => (isReading = false))
  })
}
