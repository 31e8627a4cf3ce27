import type { ClockPort } from '../../ports/system.ts'
import type { CallLimit } from './call-limit.ts'
import {
  currentRateOf,
  endCall,
  type LimitedResult,
  type LimitRecord,
  secondOf,
} from './limit-record.ts'
import type { LimitRecords } from './limit-records.ts'

/** The rates of limits as this process knows them. */
export interface CallRates {
  /**
   * Reads the record of a limit if this process has not seen it for five seconds. Never rejects: if
   * the read fails, the rate remains as this process knows it.
   */
  readonly refresh: (limit: CallLimit) => Promise<void>
  /**
   * Returns the time at which throttling lowered the rate, in ms since 1970. Undefined: it is not
   * lowered, as far as this process knows.
   */
  readonly loweredAtOf: (limit: CallLimit) => number | undefined
  /** Updates the rates from a record that this process has read or written. */
  readonly onRecord: (limit: CallLimit, record: LimitRecord) => void
  /** Counts the start of a call. */
  readonly onStart: (limit: CallLimit) => void
  /**
   * Frees the place of a call, and changes the rate. Writes nothing if neither changes.
   * `wasRunning`: whether the call had a place.
   */
  readonly onEnd: (
    limit: CallLimit,
    end: {
      readonly id: string
      readonly result: LimitedResult
      readonly wasRunning: boolean
    },
  ) => Promise<void>
}

/** Time over which the starts of calls are counted, in ms. */
const observationPeriodMs = 10_000
/** Maximum number of starts that are kept. */
const startsMax = 1_000
/** Shortest time between two reads of a limit that other processes may have slowed, in ms. */
const readIntervalMs = 5_000
/** Shortest time between two reports of the throttling of one limit, in ms. */
const reportIntervalMs = 10_000

/** Creates the rates of a process. */
export function createCallRates(
  deps: {
    readonly clock: Pick<ClockPort, 'now'>
    readonly report: (severity: 'warning', message: string) => void
  },
  records: LimitRecords,
): CallRates {
  const loweredAt = new Map<string, number>()
  const starts = createStartCounts(deps)
  const raisedSeconds = new Map<string, number>()
  const reportedAt = new Map<string, number>()
  const reads = new Map<string, { readonly at: number; readonly done: Promise<void> }>()
  const onRecord: CallRates['onRecord'] = ({ name }, { slowdown }) => {
    // The record was just read, so no further read is needed. An unfinished read is still awaited.
    reads.set(name, { at: deps.clock.now(), done: reads.get(name)?.done ?? Promise.resolve() })
    if (slowdown === undefined) loweredAt.delete(name)
    else loweredAt.set(name, slowdown.loweredAt)
  }
  const readRecord = async (limit: CallLimit): Promise<void> => {
    // A change that returns the same record only reads it.
    const pendingRead = records.change(limit, record => ({ record, result: record }))
    const record = await pendingRead.catch(() => undefined)
    if (record !== undefined) onRecord(limit, record)
  }
  const reportSlowdown = (limit: CallLimit, record: LimitRecord, now: number): void => {
    if (now - (reportedAt.get(limit.name) ?? -reportIntervalMs) < reportIntervalMs) return
    reportedAt.set(limit.name, now)
    const rate = currentRateOf(record, limit) ?? 0
    const rateText =
      rate >= 1 ? `${rate.toFixed(1)} a second` : `${(rate * 60).toFixed(1)} a minute`
    deps.report('warning', `'${limit.label}' throttles calls; at most ${rateText} start now`)
  }
  return {
    async refresh(limit) {
      const now = deps.clock.now()
      const earlierRead = reads.get(limit.name)
      const isRecent = earlierRead !== undefined && now - earlierRead.at < readIntervalMs
      const read = isRecent ? earlierRead : { at: now, done: readRecord(limit) }
      reads.set(limit.name, read)
      // All calls wait for one read, so that they keep their order.
      await read.done
    },
    loweredAtOf: ({ name }) => loweredAt.get(name),
    onRecord,
    onStart: starts.add,
    async onEnd(limit, { id, result, wasRunning }) {
      const now = deps.clock.now()
      const second = secondOf(now)
      const isRaise = result === 'succeeded' && loweredAt.has(limit.name)
      // The first success of a second raises the rate, and later ones need no write.
      const mayRaise = isRaise && raisedSeconds.get(limit.name) !== second
      if (!wasRunning && result !== 'throttled' && !mayRaise) return
      if (mayRaise) raisedSeconds.set(limit.name, second)
      const observedPerSecond = starts.perSecondOf(limit, now)
      const newRecord = await records.change(limit, record => {
        const endedRecord = endCall(record, limit, { id, now, result, observedPerSecond })
        return { record: endedRecord, result: endedRecord }
      })
      if (newRecord === undefined) return
      onRecord(limit, newRecord)
      if (result === 'throttled') reportSlowdown(limit, newRecord, now)
    },
  }
}

/** Creates the counts of recent starts, one for each limit. */
function createStartCounts({ clock }: { readonly clock: Pick<ClockPort, 'now'> }) {
  const starts = new Map<string, number[]>()
  return {
    add: ({ name }: CallLimit): void => {
      const times = starts.get(name) ?? []
      times.push(clock.now())
      if (times.length > startsMax) times.splice(0, startsMax / 2)
      starts.set(name, times)
    },
    /** Returns the number of calls per second that started recently. */
    perSecondOf({ name }: CallLimit, now: number): number {
      const recent = (starts.get(name) ?? []).filter(time => now - time < observationPeriodMs)
      const oldest = recent[0] ?? now
      return (recent.length * 1_000) / Math.max(1_000, now - oldest)
    },
  }
}
