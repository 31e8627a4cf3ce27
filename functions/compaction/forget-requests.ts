import { limits } from '../../shared/config/limits.ts'
import type { RequestsPort } from '../../shared/ports/requests.ts'
import type { ClockPort } from '../../shared/ports/system.ts'
import type { EpochMs } from '../../shared/records/ids.ts'

/** Requests that one call forgets: it shall not be felt. */
const forgottenMax = 1_000

/** Forgets requests that ended long ago; answers how many. May be called at any time. */
export function forgetRequests(deps: {
  readonly requests: Pick<RequestsPort, 'forget'>
  readonly clock: Pick<ClockPort, 'now'>
}): Promise<number> {
  const before = (deps.clock.now() - limits.requestsKeptMs) as EpochMs
  return deps.requests.forget(before, forgottenMax)
}
