import type { DeploymentId } from '../../records/ids.ts'
import type { RunInput } from '../environment/run-input.ts'

/** How often a living deployment looks whether someone else asked it to stop, in ms. */
const stopLookMs = 1_000

/**
 * Looks whether somebody else stopped a deployment; who was deposed meanwhile learns here that
 * others have closed it. Answers what ends the looking.
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
