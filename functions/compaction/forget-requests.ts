import { limits } from '../../shared/config/limits.ts'
import type { RequestsPort } from '../../shared/ports/requests.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { EpochMs } from '../../shared/records/ids.ts'

/** Maximum number of requests that one call forgets, so that the call is short. */
const requestsPerCallMax = 1_000

/**
 * Forgets ended requests that were made long ago. Returns their number. Can be called at any time.
 */
export function forgetRequests(deps: {
  readonly requests: Pick<RequestsPort, 'forget'>
  readonly clock: Pick<ClockPort, 'now'>
}): Promise<number> {
  const createdBefore = (deps.clock.now() - limits.requestRetentionMs) as EpochMs
  return deps.requests.forget(createdBefore, requestsPerCallMax)
}
