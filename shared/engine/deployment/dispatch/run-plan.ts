import { limits } from '../../../config/limits.ts'
import type { HintsPort } from '../../../ports/queue.ts'
import type { BlobsPort, ControlPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { BlobHash, OperationId } from '../../../records/ids.ts'
import type { Decision } from '../../../records/log.ts'
import { isJoinOrHook } from '../../../records/operation.ts'
import type { StepEnd } from '../../step-end.ts'
import { awaitRunningOperations, drainPollMs } from '../ends/await-running.ts'
import { toChainMessages } from './chain-messages.ts'
import { runHookedCall } from './run-hooked-call.ts'
import type { HookDeps } from './run-hooks.ts'
import {
  type HookedCall,
  type PlannedCall,
  groupHooks,
  isHooked,
  type PlannedOperation,
} from './hook-operations.ts'
import type { Liveness } from '../ownership/liveness.ts'
import { reportStepEnd } from './run-chain.ts'
import type { RecordedEnd } from '../ends/end-watcher.ts'
import { stepEndOf } from '../ends/open-recorded-end.ts'
import { waitForNeeds } from '../ends/wait-for-needs.ts'

/** The dependencies of recording a plan and following it. */
export interface PlanDeps extends HookDeps {
  readonly blobs: BlobsPort
  readonly hints: HintsPort
  readonly control: ControlPort
  readonly clock: ClockPort
  readonly liveness: Liveness
  /** The operations whose steps this process has reported. */
  readonly reportedOperations: Set<OperationId>
  /** Raises the stop flag, so that later begins are given back. */
  readonly raiseStop: () => Promise<void>
}

/** The result of a plan. `isComplete`: whether every call ended and succeeded. */
export interface PlanResult {
  readonly isComplete: boolean
}

/** The kinds of plans. */
export type PlanKind = (Decision & { readonly kind: 'plan' })['what']

/**
 * A plan, and whether its first failure stops the deployment. A refused delete of a protected
 * resource never stops it.
 */
export interface Plan {
  readonly plannedOperations: readonly PlannedOperation[]
  readonly isStoppedByFailure: boolean
}

/**
 * Records a plan as pages and one log record, and sends its ready operations. Follows the plan
 * until every operation has ended, is blocked by a failure, or was stopped. Executors release the
 * operations that are not ready yet. The generator releases those that wait for a hook.
 * `precedingDecisions` become durable together with the plan.
 */
export async function runPlan(
  deps: PlanDeps,
  kind: PlanKind,
  plan: Plan,
  precedingDecisions: readonly Decision[] = [],
): Promise<PlanResult> {
  const { plannedOperations } = plan
  const operations = plannedOperations.map(({ operation }) => operation)
  const pages: BlobHash[] = []
  for (let start = 0; start < operations.length; start += limits.planPageOperationsMax)
    pages.push(
      await deps.blobs.put(
        Buffer.from(JSON.stringify(operations.slice(start, start + limits.planPageOperationsMax))),
      ),
    )
  // The watcher must know the operations before the send. Otherwise it ignores their first hints.
  const pendingResult = followPlan(deps, plan)
  // The plan may fail before this function returns its result. Until then, this handler prevents an
  // unhandled rejection.
  pendingResult.catch(() => undefined)
  await deps.writer.append(...precedingDecisions, {
    kind: 'plan',
    what: kind,
    pages,
    operations: operations.length,
  })
  // Executors begin neither joins nor hooks, so these are never sent.
  const readyOperations = operations.filter(
    operation => operation.needs === 0 && !isJoinOrHook(operation),
  )
  await deps.chains.send(toChainMessages(deps.deployment, readyOperations))
  return pendingResult
}

/**
 * Follows a plan until each operation has ended, is blocked or was stopped. Any process may send
 * the operations, also after this call. `runHookedCall` reports the steps with hooks, and this
 * function all others.
 */
export function followPlan(deps: PlanDeps, plan: Plan): Promise<PlanResult> {
  const plannedOperationsById = new Map(
    plan.plannedOperations.map(item => [item.operation.id, item]),
  )
  const calls = groupHooks(plan.plannedOperations)
  const remainingIds = new Set(calls.map(({ call }) => call.operation.id))
  const callCount = calls.length
  const finishController = new AbortController()
  return new Promise((resolve, reject) => {
    let hasFinished = false
    let successCount = 0
    const finish = (): void => {
      if (remainingIds.size > 0 || hasFinished) return
      hasFinished = true
      finishController.abort()
      resolve({ isComplete: successCount === callCount })
    }
    const removeBlocked = (blockerId: OperationId): void => {
      const blockedIds = [...(plannedOperationsById.get(blockerId)?.operation.releases ?? [])]
      for (
        let blockedId = blockedIds.pop();
        blockedId !== undefined;
        blockedId = blockedIds.pop()
      ) {
        remainingIds.delete(blockedId)
        blockedIds.push(...(plannedOperationsById.get(blockedId)?.operation.releases ?? []))
        plannedOperationsById.delete(blockedId)
      }
    }
    const recordCallEnd = ({ call, after }: PlannedCall, end: StepEnd): void => {
      const { id } = call.operation
      if (!remainingIds.delete(id)) return
      if (end.verdict === 'succeeded') successCount += 1
      if (call.step !== undefined && after === undefined)
        reportStepEnd(deps, id, { step: call.step, end })
      if (end.verdict !== 'succeeded') {
        // Only the last operation of a step releases the waiters of the step.
        removeBlocked(after?.id ?? id)
        if (plan.isStoppedByFailure && end.error?.protected !== true) deps.raiseStop().catch(reject)
      }
      finish()
    }
    const onFailed = (thrown: unknown): void => {
      if (thrown !== neverCalledError) reject(thrown)
    }
    const onEnd = (id: OperationId, recordedEnd: RecordedEnd): void => {
      const call = plannedOperationsById.get(id)
      if (call === undefined) return
      try {
        recordCallEnd({ call }, stepEndOf(recordedEnd, deps.sealing))
      } catch (thrown) {
        reject(thrown)
      }
    }
    for (const hookedCall of calls.filter(isHooked))
      runCallWhenReady(deps, hookedCall, finishController.signal).then(
        end => recordCallEnd(hookedCall, end),
        onFailed,
      )
    deps.watcher.watch(
      calls.flatMap(plannedCall => (isHooked(plannedCall) ? [] : [plannedCall.call.operation.id])),
      { onEnd, onFailed },
    )
    void drainWhenStopped(deps, remainingIds, () => hasFinished).then(unfinishedIds => {
      for (const id of unfinishedIds) remainingIds.delete(id)
      finish()
    }, reject)
    finish()
  })
}

/** Runs a call with hooks in this process, as soon as its first operation may begin. */
async function runCallWhenReady(
  deps: PlanDeps,
  hookedCall: HookedCall,
  finishSignal: AbortSignal,
): Promise<StepEnd> {
  await waitForNeeds(deps, hookedCall.before ?? hookedCall.call.operation, finishSignal)
  return (await runHookedCall(deps, hookedCall)).end
}

/** Interval at which a followed plan reads the stop flag, in ms. */
const stopCheckMs = 4 * drainPollMs

/** The error that rejects the waits for calls which a stop prevented. */
const neverCalledError = new Error('the deployment was stopped before this call')

/**
 * Waits until the deployment is stopped and no operation of `remainingIds` is running. Returns the
 * operations that never ended. Returns none after the plan has finished.
 */
async function drainWhenStopped(
  deps: PlanDeps,
  remainingIds: ReadonlySet<OperationId>,
  hasFinished: () => boolean,
): Promise<readonly OperationId[]> {
  for (;;) {
    await deps.clock.sleep(stopCheckMs)
    if (hasFinished()) return []
    const control = await deps.control.read(deps.deployment)
    if (control !== undefined && control.stop === 'none') continue
    await awaitRunningOperations(deps, [
      ...new Set([...remainingIds, ...deps.watcher.awaitedIds()]),
    ])
    // The waits of ended operations resolve, and those of all other operations are rejected.
    await deps.watcher.settleWaits(neverCalledError)
    // The program may still be running hooks of ended calls.
    await deps.hooks.waitUntilSettled()
    // The callbacks of the settled waits remove ended calls from `remainingIds`. This pause lets
    // them run first.
    await deps.clock.sleep(drainPollMs)
    return [...remainingIds]
  }
}
