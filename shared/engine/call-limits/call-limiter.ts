import type { ClockPort, RandomPort } from '../../ports/system.ts'
import type { OperationId } from '../../records/ids.ts'
import { createSemaphore, type Semaphore } from '../deployment/dispatch/semaphore.ts'
import { createCallRates } from './call-rates.ts'
import type { CallLimitRule } from '../../programs/config/call-limit-rules.ts'
import type { CallLimit } from './call-limit.ts'
import { callIdOf, type LimitedResult } from './limit-record.ts'
import { createLimitRecords, type LimitRecordsDeps } from './limit-records.ts'
import { createLimitWaits, type LimitWaitDeps } from './limit-waits.ts'
import {
  adaptiveLimitOf,
  limitedPackageOf,
  type LimitableCall,
  matchLimits,
} from './match-limits.ts'
import { createRunningCalls } from './running-calls.ts'

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
  /** Counts the start of this call, and lets the next waiting call request its own start. */
  readonly onStart: () => void
  /**
   * Ends the call, and frees its place among the running calls. Never rejects, because a place that
   * cannot be freed expires.
   */
  readonly end: (result: LimitedResult) => Promise<void>
}

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
  const endCall = async (
    limits: readonly CallLimit[],
    callId: string,
    result: LimitedResult,
  ): Promise<void> => {
    for (const limit of limits) {
      const wasRunning = runningCalls.remove(limit, callId)
      await rates.onEnd(limit, { id: callId, result, wasRunning }).catch(() => undefined)
      if (wasRunning) waits.wake()
    }
  }
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
      const retryMs = limits.length === 0 ? undefined : await waits.waitFor(limits, waitingCall)
      if (retryMs !== undefined) {
        await end('other')
        return { retryMs }
      }
    } catch (thrown) {
      await end('other')
      throw thrown
    }
    const onStart = (): void => {
      for (const limit of affectedLimits) rates.onStart(limit)
      openGate()
    }
    return { isLimited: limits.length > 0, onStart, end }
  }
  return {
    async acquire(id, call) {
      const ruleLimits = await matchLimits(deps.rules, call)
      const adaptive = findAdaptiveLimit(call)
      const mustSlowDown = ruleLimits.length === 0 && (await rates.isSlowed(adaptive))
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
