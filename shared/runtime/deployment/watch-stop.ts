import type { DeploymentId } from '../../records/ids.ts'
import type { RunInput } from '../environment/run-input.ts'

/** Interval at which a running deployment checks for a stop request, in ms. */
const stopPollMs = 1_000

/**
 * Watches for a stop of the deployment by another process. A closed deployment counts as stopped,
 * so that a generator that has lost the log notices the close. Returns the function that stops
 * watching.
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
