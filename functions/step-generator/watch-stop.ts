import type { DeploymentId } from '../../shared/records/ids.ts'
import type { Asked } from '../surroundings/surround.ts'

/** How often a living deployment looks whether someone else asked it to stop, in ms. */
const stopLookMs = 1_000

/**
 * Looks whether somebody else stopped a deployment; who was deposed meanwhile learns here that
 * others have closed it. Answers what ends the looking.
 */
export function watchStop(
  { platform }: Asked,
  deployment: DeploymentId,
  stopped: (isForced: boolean) => void,
): () => void {
  let isLooking = false
  return platform.clock.every(stopLookMs, () => {
    if (isLooking) return
    isLooking = true
    platform.control
      .read(deployment)
      .then(
        control => {
          if (control === undefined || control.stop === 'none') return
          stopped(control.stop === 'forced' && !control.closed)
        },
        () => undefined,
      )
      .finally(() => (isLooking = false))
  })
}
