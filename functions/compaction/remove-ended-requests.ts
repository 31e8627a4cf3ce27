import { limits } from '../../shared/config/limits.ts'
import type { RequestsPort } from '../../shared/ports/requests.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { EpochMs } from '../../shared/records/ids.ts'

/** Maximum number of requests that one call removes, so that the call is short. */
const requestsPerCallMax = 1_000

/**
 * Removes ended requests that were created long ago. Returns their number. Can be called at any
 * time.
 */
export function removeEndedRequests(deps: {
  readonly requests: Pick<RequestsPort, 'removeEnded'>
  readonly clock: Pick<ClockPort, 'now'>
}): Promise<number> {
  const createdBefore = (deps.clock.now() - limits.requestRetentionMs) as EpochMs
  return deps.requests.removeEnded(createdBefore, requestsPerCallMax)
}
