import type { ControlPort } from '../../ports/records.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { DeploymentId } from '../../records/ids.ts'
import type { CallLimit } from './call-limit.ts'
import type { CallRates } from './call-rates.ts'
import { type LimitDecision, requestCall } from './limit-record.ts'
import { changeLimitRecord, type LimitRecordsDeps } from './limit-records.ts'
import type { RunningCalls } from './running-calls.ts'

/** Dependencies of waiting for limits. */
export interface LimitWaitDeps extends LimitRecordsDeps {
  readonly deployment: DeploymentId
  readonly control: Pick<ControlPort, 'read'>
  readonly clock: Pick<ClockPort, 'now' | 'sleep' | 'repeat'>
  readonly report: (severity: 'info' | 'warning', message: string) => void
  /** Time that a call may wait in this process, in ms. */
  readonly waitMaxMs: number
}

/** The waits for limits in this process. At most one call at a time waits for each limit. */
export interface LimitWaits {
  /**
   * Waits until a call may start under a limit, or until the deployment is stopped. Returns the
   * time of another try, in ms, if the wait would be too long. Throws the errors of the store.
   */
  readonly waitFor: (limit: CallLimit, callId: string) => Promise<number | undefined>
  /** Lets the waiting call of a limit try again, because a place became free. */
  readonly wake: (limit: CallLimit) => void
}

/** Longest pause between two looks at the control record, in ms. */
const controlReadMs = 1_000
/** Wait after which a limit is reported, in ms. */
const reportedWaitMs = 2_000

/** Creates the waits of a process. */
export function createLimitWaits(
  deps: LimitWaitDeps,
  { rates, runningCalls }: { readonly rates: CallRates; readonly runningCalls: RunningCalls },
): LimitWaits {
  const reportedNames = new Set<string>()
  /** Ends the pause of the call that waits for a limit, by the name of the limit. */
  const wakes = new Map<string, AbortController>()
  const request = (limit: CallLimit, id: string): Promise<LimitDecision | undefined> =>
    changeLimitRecord(deps, limit, record => {
      const { deployment, waitMaxMs } = deps
      const call = { id, deployment, now: deps.clock.now(), aheadMaxMs: waitMaxMs }
      const requested = requestCall(record, limit, call)
      rates.onRecord(limit, requested.record)
      return { record: requested.record, result: requested.decision }
    })
  const pause = async (limit: CallLimit, ms: number): Promise<void> => {
    const wake = new AbortController()
    wakes.set(limit.name, wake)
    await deps.clock.sleep(Math.min(controlReadMs, Math.max(1, ms)), wake.signal)
    wakes.delete(limit.name)
  }
  const reportWait = (limit: CallLimit, waitedMs: number): void => {
    if (waitedMs < reportedWaitMs || reportedNames.has(limit.name)) return
    reportedNames.add(limit.name)
    deps.report('info', `calls of '${limit.label}' wait for their limit`)
  }
  return {
    async waitFor(limit, callId) {
      const startedAt = deps.clock.now()
      while (!(await isStopped(deps))) {
        const decision = await request(limit, callId)
        const now = deps.clock.now()
        if (decision?.kind === 'granted') {
          if (limit.concurrency !== undefined) runningCalls.add(limit, callId)
          await sleepUntil(deps, decision.startAt)
          break
        }
        const retryAt = decision?.retryAt ?? now + controlReadMs
        if (retryAt - startedAt > deps.waitMaxMs) return Math.max(controlReadMs, retryAt - now)
        await pause(limit, retryAt - now)
        reportWait(limit, deps.clock.now() - startedAt)
      }
      return undefined
    },
    wake: ({ name }) => wakes.get(name)?.abort(),
  }
}

/** Sleeps until a time, with looks at the control record. */
async function sleepUntil(deps: LimitWaitDeps, time: number): Promise<void> {
  for (;;) {
    const remainingMs = time - deps.clock.now()
    if (remainingMs <= 0) return
    await deps.clock.sleep(Math.min(controlReadMs, remainingMs))
    if (remainingMs > controlReadMs && (await isStopped(deps))) return
  }
}

/** Reports whether the deployment begins no more calls. The begin then refuses the operation. */
async function isStopped({ control, deployment }: LimitWaitDeps): Promise<boolean> {
  const record = await control.read(deployment)
  return record === undefined || record.closed || record.stop !== 'none'
}
