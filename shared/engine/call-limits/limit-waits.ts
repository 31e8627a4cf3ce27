import type { ControlPort } from '../../ports/records.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import type { DeploymentId } from '../../records/ids.ts'
import type { CallLimit } from './call-limit.ts'
import type { CallRates } from './call-rates.ts'
import { type GrantedStart, requestCall } from './limit-record.ts'
import type { LimitRecords } from './limit-records.ts'
import type { RunningCalls } from './running-calls.ts'

/** Dependencies of waiting for limits. */
export interface LimitWaitDeps {
  readonly deployment: DeploymentId
  readonly control: Pick<ControlPort, 'read'>
  readonly clock: Pick<ClockPort, 'now' | 'sleep' | 'repeat'>
  readonly random: Pick<RandomPort, 'bytes'>
  readonly report: (severity: 'info' | 'warning', message: string) => void
  /** The longest wait of a call in this process, in ms. */
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
   * Waits until all limits have granted a start, or until the deployment is stopped. In both cases
   * resolves with the time of the start, which may be in the future. If the wait would be too long,
   * resolves with the delay before the next try, in ms. Throws the errors of the store.
   */
  readonly waitFor: (
    limits: readonly CallLimit[],
    call: WaitingCall,
  ) => Promise<{ readonly startAt: number } | { readonly retryMs: number }>
  /** Sleeps until a time, or until the deployment is stopped. Throws the errors of the store. */
  readonly sleepUntil: (time: number) => Promise<void>
  /** Lets waiting calls try again, because a place became free. */
  readonly wake: () => void
}

/** Longest pause between two reads of the control record, in ms. */
const controlReadMs = 1_000
/** Wait after which a limit is reported, in ms. */
const reportedWaitMs = 2_000
/** Longest delay before the next try of a delivery, in ms: the longest delay of a message. */
const retryDelayMaxMs = 900_000

/** The wait that a limit causes. The caller asks again at `retryAt`. */
interface LimitWait {
  readonly kind: 'waiting'
  readonly limit: CallLimit
  readonly retryAt: number
}

/** Creates the waits of a process. */
export function createLimitWaits(
  deps: LimitWaitDeps,
  limitState: {
    readonly records: LimitRecords
    readonly rates: CallRates
    readonly runningCalls: RunningCalls
  },
): LimitWaits {
  const requestStart = createStartRequest(deps, limitState)
  const reportedNames = new Set<string>()
  const pauses = createPauses(deps)
  /** Asks each limit for a start of one call. Returns the latest start, or the longest wait. */
  const requestFromAll = async (
    limits: readonly CallLimit[],
    id: string,
  ): Promise<GrantedStart | LimitWait> => {
    // A call must not hold the start of one limit while it waits for another one. So all limits are
    // probed first.
    if (limits.length > 1) {
      const probes = await Promise.all(limits.map(limit => requestStart(limit, id, true)))
      const waits = probes.filter(probe => probe.kind === 'waiting')
      const [longestWait] = waits.toSorted((a, b) => b.retryAt - a.retryAt)
      if (longestWait !== undefined) return longestWait
    }
    let startAt = 0
    for (const limit of limits) {
      const decision = await requestStart(limit, id, false)
      if (decision.kind === 'waiting') return decision
      if (limit.concurrency !== undefined) limitState.runningCalls.add(limit, id)
      startAt = Math.max(startAt, decision.startAt)
    }
    return { kind: 'granted', startAt }
  }
  const reportWait = (limit: CallLimit, waitedMs: number): void => {
    if (waitedMs < reportedWaitMs || reportedNames.has(limit.name)) return
    reportedNames.add(limit.name)
    deps.report('info', `calls of '${limit.label}' wait for their limit`)
  }
  return {
    async waitFor(limits, { id, startedAt, countWaiting }) {
      while (!(await isStopped(deps))) {
        const decision = await requestFromAll(limits, id)
        const now = deps.clock.now()
        if (decision.kind === 'granted') return decision
        if (decision.retryAt - startedAt > deps.waitMaxMs) {
          const waitMs = decision.retryAt - now
          return { retryMs: retryDelayOf(deps, limits, { waitMs, countWaiting }) }
        }
        await pauses.pause(decision.retryAt - now)
        reportWait(decision.limit, deps.clock.now() - startedAt)
      }
      return { startAt: deps.clock.now() }
    },
    sleepUntil: time => sleepUntil(deps, time),
    wake: pauses.endAll,
  }
}

/**
 * Returns a function that asks a limit for a start: the permission to start one call. With
 * `isProbe`, a granted start is not recorded, so it remains free.
 */
function createStartRequest(
  { deployment, clock, waitMaxMs }: LimitWaitDeps,
  { records, rates }: { readonly records: LimitRecords; readonly rates: CallRates },
): (limit: CallLimit, id: string, isProbe: boolean) => Promise<GrantedStart | LimitWait> {
  return async (limit, id, isProbe) => {
    const decision = await records.change(limit, record => {
      const call = { id, deployment, now: clock.now(), waitMaxMs }
      const requested = requestCall(record, limit, call)
      rates.onRecord(limit, requested.record)
      // A probe that must wait is recorded, so that the record names its deployment. Only named
      // deployments get a share of the limit.
      const isRecorded = requested.decision.kind === 'waiting' || !isProbe
      return { record: isRecorded ? requested.record : record, result: requested.decision }
    })
    if (decision?.kind === 'granted') return decision
    return { kind: 'waiting', limit, retryAt: decision?.retryAt ?? clock.now() + controlReadMs }
  }
}

/** Creates pauses that `endAll` ends early. */
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
 * Returns the delay before the next try, in ms. Calls that wait together get different delays,
 * spread over the period in which all of them can start.
 */
function retryDelayOf(
  { random }: LimitWaitDeps,
  limits: readonly CallLimit[],
  { waitMs, countWaiting }: { readonly waitMs: number } & Pick<WaitingCall, 'countWaiting'>,
): number {
  const intervalMs = Math.max(controlReadMs, ...limits.map(limit => limit.intervalMs))
  const randomFraction = (random.bytes(1)[0] ?? 0) / 256
  const spreadMs = randomFraction * intervalMs * (countWaiting() - 1)
  return Math.min(retryDelayMaxMs, Math.max(controlReadMs, waitMs) + spreadMs)
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
