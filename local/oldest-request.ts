import { errorSourceOf } from '../shared/providers/retry-policy.ts'
import type { StackRequest } from '../shared/records/stack-request.ts'

/**
 * Reads records of one stack. Returns undefined when a record is unreadable, so that one stack does
 * not hide the measurements of the others. Throws the errors of the store.
 */
export async function skipUnreadable<Value>(
  read: () => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await read()
  } catch (thrown) {
    if (errorSourceOf(thrown) === 'store') throw thrown
    return undefined
  }
}

/** Returns the age in ms of the oldest request at the time `nowMs`, 0 without a request. Pure. */
export function measureOldestRequestMs(
  requests: readonly Pick<StackRequest, 'at'>[],
  nowMs: number,
): number {
  return nowMs - Math.min(nowMs, ...requests.map(({ at }) => at))
}
