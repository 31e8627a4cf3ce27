import type { ControlPort } from '../../ports/records.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import type { DeploymentId } from '../../records/ids.ts'
import type { CallLimit } from './call-limit.ts'
import type { CallRates } from './call-rates.ts'
import { type LimitDecision, requestCall } from './limit-record.ts'
import type { LimitRecords } from './limit-records.ts'
import type { RunningCalls } from './running-calls.ts'

/** Dependencies of waiting for limits. */
export interface LimitWaitDeps {
  readonly deployment: DeploymentId
  readonly control: Pick<ControlPort, 'read'>
  readonly clock: Pick<ClockPort, 'now' | 'sleep' | 'repeat'>
  readonly random: Pick<RandomPort, 'bytes'>
  readonly report: (severity: 'info' | 'warning', message: string) => void
  /** Time that a call may wait in this process, in ms. */
  readonly waitMaxMs: number
}

/** A call that waits. */
export interface WaitingCall {
  readonly id: string
  /**
   * The time at which the call began to wait, for its limits or for other calls of this process.
   */
  readonly startedAt: number
  /** Returns the number of calls of this process that wait for limits, this one included. */
  readonly countWaiting: () => number
}

/** The waits for limits in this process. */
export interface LimitWaits {
  /**
   * Waits until a call may start under all limits, or until the deployment is stopped. If the wait
   * would be too long, returns the time after which the caller tries again, in ms. Throws the
   * errors of the store.
   */
  readonly waitFor: (limits: readonly CallLimit[], call: WaitingCall) => Promise<number | undefined>
  /** Lets waiting calls try again, because a place became free. */
  readonly wake: () => void
}

/** Longest pause between two reads of the control record, in ms. */
const controlReadMs = 1_000
/** Wait after which a limit is reported, in ms. */
const reportedWaitMs = 2_000
/** Longest time after which a delivery tries again, in ms: the longest delay of a message. */
const retryMaxMs = 900_000

/** Creates the waits of a process. */
export function createLimitWaits(
  deps: LimitWaitDeps,
  parts: {
    readonly records: LimitRecords
    readonly rates: CallRates
    readonly runningCalls: RunningCalls
  },
): LimitWaits {
  const { deployment, waitMaxMs: aheadMaxMs } = deps
  const { records, rates, runningCalls } = parts
  const reportedNames = new Set<string>()
  const pauses = createPauses(deps)
  /** Requests a start. With `isProbe`, a granted start is not taken. */
  const request = async (
    limit: CallLimit,
    id: string,
    isProbe: boolean,
  ): Promise<LimitDecision> => {
    const decision = await records.change(limit, record => {
      const call = { id, deployment, now: deps.clock.now(), aheadMaxMs }
      const requested = requestCall(record, limit, call)
      rates.onRecord(limit, requested.record)
      const isRecorded = requested.decision.kind === 'waiting' || !isProbe
      return { record: isRecorded ? requested.record : record, result: requested.decision }
    })
    return decision ?? { kind: 'waiting', retryAt: deps.clock.now() + controlReadMs }
  }
  /** Takes a start of each limit, or returns the time at which the caller tries again. */
  const takeAll = async (limits: readonly CallLimit[], id: string): Promise<LimitDecision> => {
    // A call must not hold the start of one limit while it waits for another one. So all limits are
    // probed first.
    if (limits.length > 1) {
      const probes = await Promise.all(limits.map(limit => request(limit, id, true)))
      const waits = probes.flatMap(probe => (probe.kind === 'waiting' ? [probe.retryAt] : []))
      if (waits.length > 0) return { kind: 'waiting', retryAt: Math.max(...waits) }
    }
    let startAt = 0
    for (const limit of limits) {
      const decision = await request(limit, id, false)
      if (decision.kind === 'waiting') return decision
      if (limit.concurrency !== undefined) runningCalls.add(limit, id)
      startAt = Math.max(startAt, decision.startAt)
    }
    return { kind: 'granted', startAt }
  }
  const reportWait = ([limit]: readonly CallLimit[], waitedMs: number): void => {
    if (limit === undefined || waitedMs < reportedWaitMs || reportedNames.has(limit.name)) return
    reportedNames.add(limit.name)
    deps.report('info', `calls of '${limit.label}' wait for their limit`)
  }
  return {
    async waitFor(limits, { id, startedAt, countWaiting }) {
      while (!(await isStopped(deps))) {
        const decision = await takeAll(limits, id)
        const now = deps.clock.now()
        if (decision.kind === 'granted') {
          await sleepUntil(deps, decision.startAt)
          break
        }
        if (decision.retryAt - startedAt > deps.waitMaxMs)
          return retryTimeOf(deps, limits, { waitMs: decision.retryAt - now, countWaiting })
        await pauses.pause(decision.retryAt - now)
        reportWait(limits, deps.clock.now() - startedAt)
      }
      return undefined
    },
    wake: pauses.endAll,
  }
}

/** Creates pauses that others can end early. */
function createPauses({ clock }: Pick<LimitWaitDeps, 'clock'>): {
  readonly pause: (ms: number) => Promise<void>
  readonly endAll: () => void
} {
  const wakes = new Set<AbortController>()
  return {
    async pause(ms) {
      const wake = new AbortController()
      wakes.add(wake)
      await clock.sleep(Math.min(controlReadMs, Math.max(1, ms)), wake.signal)
      wakes.delete(wake)
    },
    endAll() {
      for (const wake of wakes) wake.abort()
    },
  }
}

/**
 * Returns the time after which a delivery tries again. Calls that wait together try again at
 * different times, spread over the time that all of them need.
 */
function retryTimeOf(
  { random }: LimitWaitDeps,
  limits: readonly CallLimit[],
  { waitMs, countWaiting }: { readonly waitMs: number } & Pick<WaitingCall, 'countWaiting'>,
): number {
  const intervalMs = Math.max(controlReadMs, ...limits.map(limit => limit.intervalMs))
  const share = (random.bytes(1)[0] ?? 0) / 256
  const spreadMs = share * intervalMs * (countWaiting() - 1)
  return Math.min(retryMaxMs, Math.max(controlReadMs, waitMs) + spreadMs)
}

/** Sleeps until a time, or until the deployment is stopped. */
async function sleepUntil(deps: LimitWaitDeps, time: number): Promise<void> {
  for (;;) {
    const remainingMs = time - deps.clock.now()
    if (remainingMs <= 0) return
    await deps.clock.sleep(Math.min(controlReadMs, remainingMs))
    if (remainingMs > controlReadMs && (await isStopped(deps))) return
  }
}

/** Reports whether the deployment begins no more calls. Every later begin is given back. */
async function isStopped({ control, deployment }: LimitWaitDeps): Promise<boolean> {
  const record = await control.read(deployment)
  return record === undefined || record.closed || record.stop !== 'none'
}
