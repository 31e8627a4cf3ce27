import type { OperationId } from '../../records/ids.ts'
import { createSlots, type Slots } from '../deployment/dispatch/slots.ts'
import { createCallRates } from './call-rates.ts'
import type { CallLimitRule } from '../../programs/config/call-limit-rules.ts'
import type { CallLimit } from './call-limit.ts'
import { createLimitWaits, type LimitWaitDeps } from './limit-waits.ts'
import {
  adaptiveLimitOf,
  limitedPackageOf,
  type LimitableCall,
  matchLimits,
} from './match-limits.ts'
import { createRunningCalls } from './running-calls.ts'

/** Dependencies of a limiter. */
export interface CallLimiterDeps extends LimitWaitDeps {
  readonly rules: readonly CallLimitRule[]
}

/** Limits the calls of one deployment in this process, with the other users of the same limits. */
export interface CallLimiter {
  /**
   * Waits until a call may start under all its limits. Resolves with a permit, or with the time
   * after which another delivery tries again, in ms. Resolves with undefined for an operation that
   * already waits here. Throws the errors of the store.
   */
  readonly acquire: (
    id: OperationId,
    call: LimitableCall,
  ) => Promise<CallPermit | { readonly retryMs: number } | undefined>
}

/** The result of a call for its limits. */
export type LimitedResult = 'throttled' | 'succeeded' | 'other'

/** The right to make one call. */
export interface CallPermit {
  /** Whether the call has limits, so that it must start at once. */
  readonly isLimited: boolean
  /** Lets the next waiting call ask for its place, because this one starts. */
  readonly onStart: () => void
  /** Ends the call. Never rejects: a place that cannot be freed ends by its time. */
  readonly end: (result: LimitedResult) => Promise<void>
}

/** Creates the limiter of a deployment. Without rules, it only follows throttling. */
export function createCallLimiter(deps: CallLimiterDeps): CallLimiter {
  const rates = createCallRates(deps)
  const runningCalls = createRunningCalls(deps)
  const waits = createLimitWaits(deps, { rates, runningCalls })
  const gates = new Map<string, Slots>()
  const waitingIds = new Set<OperationId>()
  const findAdaptiveLimit = createAdaptiveLimits()
  const limitsOf = async (call: LimitableCall): Promise<readonly CallLimit[]> => {
    const limits = await matchLimits(deps.rules, call)
    if (limits.length > 0) return limits
    const adaptive = findAdaptiveLimit(call)
    return rates.isSlowed(adaptive) ? [adaptive] : []
  }
  const endCall = async (
    limits: readonly CallLimit[],
    callId: string,
    result: LimitedResult,
  ): Promise<void> => {
    for (const limit of limits) {
      const wasRunning = runningCalls.remove(limit, callId)
      await rates.onEnd(limit, { id: callId, result, wasRunning }).catch(() => undefined)
      if (wasRunning) waits.wake(limit)
    }
  }
  const acquireLimits = async (
    limits: readonly CallLimit[],
    call: LimitableCall,
    callId: string,
  ): Promise<CallPermit | { readonly retryMs: number }> => {
    const followed = limits.length > 0 ? limits : [findAdaptiveLimit(call)]
    const heldGates: (() => void)[] = []
    const openGates = (): void => {
      for (const release of heldGates.splice(0)) release()
    }
    const end = async (result: LimitedResult): Promise<void> => {
      openGates()
      await endCall(followed, callId, result)
    }
    try {
      for (const limit of limits) {
        heldGates.push(await gateOf(gates, limit).acquire())
        const retryMs = await waits.waitFor(limit, callId)
        if (retryMs === undefined) continue
        await end('other')
        return { retryMs }
      }
    } catch (thrown) {
      await end('other')
      throw thrown
    }
    const onStart = (): void => {
      for (const limit of followed) rates.onStart(limit)
      openGates()
    }
    return { isLimited: limits.length > 0, onStart, end }
  }
  return {
    async acquire(id, call) {
      if (waitingIds.has(id)) return undefined
      waitingIds.add(id)
      try {
        const limits = await limitsOf(call)
        const needsPlace = limits.length > 0 && !(await call.isBegun())
        return await acquireLimits(needsPlace ? limits : [], call, `${deps.deployment} ${id}`)
      } finally {
        waitingIds.delete(id)
      }
    },
  }
}

/** Returns the adaptive limits by package. Creating one for each call would take too long. */
function createAdaptiveLimits(): (call: LimitableCall) => CallLimit {
  const limits = new Map<string, CallLimit>()
  return ({ type }) => {
    const pkg = limitedPackageOf(type)
    const limit = limits.get(pkg) ?? adaptiveLimitOf(pkg)
    limits.set(pkg, limit)
    return limit
  }
}

/** Returns the gate of a limit, which one waiting call at a time holds. */
function gateOf(gates: Map<string, Slots>, { name }: CallLimit): Slots {
  const gate = gates.get(name) ?? createSlots(1)
  gates.set(name, gate)
  return gate
}
