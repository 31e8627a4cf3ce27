import type { ClockPort, RandomPort } from '../../ports/system.ts'
import type { OperationId } from '../../records/ids.ts'
import { createSemaphore, type Semaphore } from '../deployment/dispatch/semaphore.ts'
import { type CallRates, createCallRates } from './call-rates.ts'
import type { CallLimitRule } from '../../programs/config/call-limit-rules.ts'
import type { CallLimit } from './call-limit.ts'
import { callIdOf, type LimitedResult, recordLateStart } from './limit-record.ts'
import {
  createLimitRecords,
  type LimitChange,
  type LimitRecords,
  type LimitRecordsDeps,
} from './limit-records.ts'
import { createLimitWaits, type LimitWaitDeps, type LimitWaits } from './limit-waits.ts'
import {
  adaptiveLimitOf,
  limitedPackageOf,
  type LimitableCall,
  matchLimits,
} from './match-limits.ts'
import { createRunningCalls, type RunningCalls } from './running-calls.ts'

/** Dependencies of a limiter. */
export interface CallLimiterDeps
  extends Omit<LimitWaitDeps, 'clock' | 'random'>,
    Omit<LimitRecordsDeps, 'clock' | 'random'> {
  readonly clock: Pick<ClockPort, 'now' | 'sleep' | 'repeat'>
  readonly random: Pick<RandomPort, 'bytes'>
  readonly rules: readonly CallLimitRule[]
}

/**
 * Limits the calls of one deployment in this process. Other deployments and processes may share the
 * limits.
 */
export interface CallLimiter {
  /**
   * Waits until a call may start under all its limits. Resolves with a permit. If the call must
   * wait longer than it can in this process, resolves with the delay until another delivery tries
   * again, in ms. Resolves with undefined if the call has limits and its operation already waits in
   * this process. Throws the errors of the store.
   */
  readonly acquire: (
    id: OperationId,
    call: LimitableCall,
  ) => Promise<CallPermit | { readonly retryMs: number } | undefined>
}

/** The right to make one call. */
export interface CallPermit {
  /** Whether the call has limits. Such a call must start immediately. */
  readonly isLimited: boolean
  /**
   * Reports whether no rate of the limits was lowered after the grant. Called before the start,
   * because the call may have waited for a slot. A permit that is not current allows no start: its
   * caller ends it, and acquires another one. Never rejects.
   */
  readonly isCurrent: () => Promise<boolean>
  /** Counts the start of this call, and lets the next waiting call request its own start. */
  readonly onStart: () => void
  /**
   * Ends the call, and frees its place among the running calls. Never rejects, because a place that
   * cannot be freed expires.
   */
  readonly end: (result: LimitedResult) => Promise<void>
}

/**
 * Lateness up to which a start is not written to the record of its limit, in ms. A call that waited
 * for a slot may start later. Its start is then written, and delays the next call.
 */
const lateStartMs = 100

/**
 * Creates the limiter of a deployment. Without rules, only calls to packages whose providers
 * throttle are limited.
 */
export function createCallLimiter(deps: CallLimiterDeps): CallLimiter {
  const records = createLimitRecords(deps)
  const rates = createCallRates(deps, records)
  const runningCalls = createRunningCalls(deps, records)
  const waits = createLimitWaits(deps, { records, rates, runningCalls })
  const gates = new Map<string, Semaphore>()
  const waitingIds = new Set<OperationId>()
  const findAdaptiveLimit = createAdaptiveLimits()
  const { startCall, endCall } = createCallCounts(deps, { records, rates, runningCalls, waits })
  const acquireLimits = async (
    limits: readonly CallLimit[],
    call: LimitableCall,
    id: OperationId,
  ): Promise<CallPermit | { readonly retryMs: number }> => {
    const affectedLimits = limits.length > 0 ? limits : [findAdaptiveLimit(call)]
    // The id names the place of a call among the running ones. A call without limits has no place.
    const callId = limits.length === 0 ? '' : callIdOf(deps.deployment, id)
    const startedAt = deps.clock.now()
    const openGate = limits.length === 0 ? () => undefined : await gateOf(gates, limits).acquire()
    const end = async (result: LimitedResult): Promise<void> => {
      openGate()
      await endCall(affectedLimits, callId, result)
    }
    try {
      const waitingCall = { id: callId, startedAt, countWaiting: () => waitingIds.size }
      const isLimited = limits.length > 0
      const grant = isLimited ? await waits.waitFor(limits, waitingCall) : { startAt: Infinity }
      if ('retryMs' in grant) {
        await end('other')
        return grant
      }
      const isCurrent = createRateCheck(rates, affectedLimits)
      if (isLimited) await waits.sleepUntil(grant.startAt)
      const onStart = (): void => {
        startCall(affectedLimits, grant.startAt)
        openGate()
      }
      return { isLimited, isCurrent, onStart, end }
    } catch (thrown) {
      await end('other')
      throw thrown
    }
  }
  return {
    async acquire(id, call) {
      const ruleLimits = await matchLimits(deps.rules, call)
      const adaptive = findAdaptiveLimit(call)
      if (ruleLimits.length === 0) await rates.refresh(adaptive)
      const mustSlowDown = ruleLimits.length === 0 && rates.loweredAtOf(adaptive) !== undefined
      const limits = mustSlowDown ? [adaptive] : ruleLimits
      if (limits.length === 0 || (await call.isBegun())) return acquireLimits([], call, id)
      if (waitingIds.has(id)) return undefined
      waitingIds.add(id)
      call.onWait()
      try {
        return await acquireLimits(limits, call, id)
      } finally {
        waitingIds.delete(id)
      }
    },
  }
}

/** Creates the functions that count the starts and the ends of calls. */
function createCallCounts(
  { clock }: Pick<CallLimiterDeps, 'clock'>,
  {
    records,
    rates,
    runningCalls,
    waits,
  }: {
    readonly records: LimitRecords
    readonly rates: CallRates
    readonly runningCalls: RunningCalls
    readonly waits: LimitWaits
  },
) {
  return {
    /** Counts the start of a call, which its limits granted for `grantedAt`. */
    startCall: (limits: readonly CallLimit[], grantedAt: number): void => {
      const now = clock.now()
      const isLate = now - grantedAt > lateStartMs
      for (const limit of limits) {
        rates.onStart(limit)
        if (!isLate) continue
        const lateStart: LimitChange<undefined> = record => ({
          record: recordLateStart(record, limit, now),
          result: undefined,
        })
        // If the change fails, only the next call starts early.
        records.change(limit, lateStart).catch(() => undefined)
      }
    },
    endCall: async (
      limits: readonly CallLimit[],
      callId: string,
      result: LimitedResult,
    ): Promise<void> => {
      for (const limit of limits) {
        const wasRunning = runningCalls.remove(limit, callId)
        await rates.onEnd(limit, { id: callId, result, wasRunning }).catch(() => undefined)
        if (wasRunning) waits.wake()
      }
    },
  }
}

/**
 * Returns a function that reports whether no rate of the limits was lowered since the function was
 * created.
 */
function createRateCheck(rates: CallRates, limits: readonly CallLimit[]): () => Promise<boolean> {
  const loweredAts = limits.map(rates.loweredAtOf)
  return async () => {
    await Promise.all(limits.map(rates.refresh))
    return limits.every((limit, index) => {
      const loweredAt = rates.loweredAtOf(limit)
      return loweredAt === undefined || loweredAt === loweredAts[index]
    })
  }
}

/**
 * Returns a function that finds the adaptive limit of a call's package. It creates each limit once,
 * because creating one for each call would take too long.
 */
function createAdaptiveLimits(): (call: LimitableCall) => CallLimit {
  const limits = new Map<string, CallLimit>()
  return ({ type }) => {
    const pkg = limitedPackageOf(type)
    const limit = limits.get(pkg) ?? adaptiveLimitOf(pkg)
    limits.set(pkg, limit)
    return limit
  }
}

/**
 * Returns the gate of the calls that have the same limits. One waiting call at a time holds the
 * gate. Calls with other limits do not wait for it.
 */
function gateOf(gates: Map<string, Semaphore>, limits: readonly CallLimit[]): Semaphore {
  const key = limits.map(({ name }) => name).join(' ')
  const gate = gates.get(key) ?? createSemaphore(1)
  gates.set(key, gate)
  return gate
}
