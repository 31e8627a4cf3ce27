import type { ClockPort } from '../../ports/system.ts'
import type { CallLimit } from './call-limit.ts'
import { callTimeoutMs, extendCalls } from './limit-record.ts'
import type { LimitRecords } from './limit-records.ts'

/** The calls of this process that hold a place of a limit with a `concurrency`. */
export interface RunningCalls {
  readonly add: (limit: CallLimit, id: string) => void
  /** Removes a call. Returns whether it had a place. */
  readonly remove: (limit: CallLimit, id: string) => boolean
}

/** Creates an empty set. While a call is in the set, its place is extended before it expires. */
export function createRunningCalls(
  deps: { readonly clock: Pick<ClockPort, 'now' | 'repeat'> },
  records: LimitRecords,
): RunningCalls {
  const callsByLimit = new Map<string, { readonly limit: CallLimit; readonly ids: Set<string> }>()
  let stopExtending: (() => void) | undefined
  const extendAll = (): void => {
    // A failed extension is repeated after the next interval. Until then the place is still taken.
    for (const { limit, ids } of callsByLimit.values())
      records
        .change(limit, record => ({
          record: extendCalls(record, { ids, now: deps.clock.now() }),
          result: undefined,
        }))
        .catch(() => undefined)
  }
  return {
    add(limit, id) {
      const entry = callsByLimit.get(limit.name) ?? { limit, ids: new Set() }
      entry.ids.add(id)
      callsByLimit.set(limit.name, entry)
      stopExtending ??= deps.clock.repeat(callTimeoutMs / 3, extendAll)
    },
    remove(limit, id) {
      const entry = callsByLimit.get(limit.name)
      if (entry === undefined || !entry.ids.delete(id)) return false
      if (entry.ids.size === 0) callsByLimit.delete(limit.name)
      if (callsByLimit.size === 0) {
        stopExtending?.()
        stopExtending = undefined
      }
      return true
    },
  }
}
