import { programLimits } from '../../config/program-limits.ts'
import { DeployError, hasCode } from '../../errors/error.ts'
import type { ClockPort } from '../../ports/system.ts'

/**
 * Calls the host of a repository, and repeats the call after temporary failures. Throws the error
 * of the last try. The first `tryNumber` is 1.
 */
export async function withFetchRetry<T>(
  clock: Pick<ClockPort, 'sleep'>,
  callHost: (tryNumber: number) => Promise<T>,
): Promise<T> {
  for (let tryNumber = 1; ; tryNumber += 1)
    try {
      return await callHost(tryNumber)
    } catch (thrown) {
      if (tryNumber === programLimits.fetchTriesMax || !isTransient(thrown)) throw thrown
      await clock.sleep(programLimits.fetchPauseMs * 2 ** (tryNumber - 1))
    }
}

/**
 * Reports whether a failure is temporary: no response, a status of 500 or more, or the status 429.
 */
function isTransient(thrown: unknown): boolean {
  if (!hasCode(thrown, 'OUTBOUND_FAILED') || !(thrown instanceof DeployError)) return false
  const { status } = thrown.details
  return typeof status !== 'number' || status >= 500 || status === 429
}
