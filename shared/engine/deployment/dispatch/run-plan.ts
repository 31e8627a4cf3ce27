import type { HintsPort } from '../../../ports/queue.ts'
import type { BlobsPort, ControlPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { BlobHash, OperationId } from '../../../records/ids.ts'
import type { Decision } from '../../../records/log.ts'
import { isUnsent } from '../../../records/operation.ts'
import type { StepEnd } from '../../step-end.ts'
import { awaitRunning, drainPollMs } from '../ends/await-running.ts'
import { toChainMessages } from './chain-messages.ts'
import { runHookedCall, type HookDeps } from './run-hooked-call.ts'
import { type PlannedCall, groupHooks, isHooked, type PlannedOperation } from './hook-operations.ts'
import type { Liveness } from '../ownership/liveness.ts'
import { reportStepEnd } from './run-chain.ts'
import { stepEndOf } from '../ends/recorded-end.ts'
import { waitForNeeds } from '../ends/wait-for-needs.ts'

/** The dependencies of recording and following a plan. */
export interface PlanDeps extends HookDeps {
  readonly blobs: BlobsPort
  readonly hints: HintsPort
  readonly control: ControlPort
  readonly clock: ClockPort
  readonly liveness: Liveness
  /** The operations that this process ran itself and has reported already. */
  readonly reported: Set<OperationId>
  /** Raises the stop flag, so that no further operation begins. */
  readonly raiseStop: () => Promise<void>
}

/** The result of a plan's operations. Operations that never began are omitted. */
export interface PlanResult {
  readonly ends: ReadonlyMap<OperationId, StepEnd>
  readonly isWhole: boolean
}

/** The kinds of plans. */
export type PlanKind = (Decision & { readonly kind: 'plan' })['what']

/** Maximum number of operations per page. */
const pageMax = 500

/** A plan, and whether its first failure stops the deployment. */
export interface Plan {
  readonly planned: readonly PlannedOperation[]
  readonly isStoppedByFailure: boolean
}

/**
 * Records a plan as pages and one log record, and sends its ready operations. Follows it until
 * every operation has ended, is blocked by a failure, or was stopped. The executors release the
 * other operations themselves. `precedingDecisions` become durable together with the plan.
 */
export async function runPlan(
  deps: PlanDeps,
  kind: PlanKind,
  plan: Plan,
  precedingDecisions: readonly Decision[] = [],
): Promise<PlanResult> {
  const { planned } = plan
  const operations = planned.map(({ operation }) => operation)
  const pages: BlobHash[] = []
  for (let at = 0; at < operations.length; at += pageMax)
    pages.push(
      await deps.blobs.put(Buffer.from(JSON.stringify(operations.slice(at, at + pageMax)))),
    )
  const following = followPlan(deps, plan)
  // A failure can occur before the plan was sent. The caller that awaits the result receives it.
  following.catch(() => undefined)
  await deps.writer.append(...precedingDecisions, {
    kind: 'plan',
    what: kind,
    pages,
    operations: operations.length,
  })
  const ready = operations.filter(operation => operation.needs === 0 && !isUnsent(operation))
  await deps.chains.send(toChainMessages(deps.deployment, ready))
  return following
}

/** Follows a plan whose record is durable, regardless of the process that sent it. */
export function followPlan(deps: PlanDeps, plan: Plan): Promise<PlanResult> {
  const byId = new Map(plan.planned.map(item => [item.operation.id, item]))
  const steps = groupHooks(plan.planned)
  const remaining = new Set(steps.map(({ call }) => call.operation.id))
  const ends = new Map<OperationId, StepEnd>()
  const over = new AbortController()
  return new Promise((done, failed) => {
    let isEnding = false
    const finish = (): void => {
      if (remaining.size > 0 || isEnding) return
      isEnding = true
      over.abort()
      done({
        ends,
        isWhole:
          [...ends.values()].every(end => end.verdict === 'succeeded') &&
          ends.size === steps.length,
      })
    }
    const block = (from: OperationId): void => {
      const open = [...(byId.get(from)?.operation.releases ?? [])]
      for (let next = open.pop(); next !== undefined; next = open.pop()) {
        remaining.delete(next)
        open.push(...(byId.get(next)?.operation.releases ?? []))
        byId.delete(next)
      }
    }
    const note = ({ call, after }: PlannedCall, end: StepEnd): void => {
      const { id } = call.operation
      if (!remaining.delete(id)) return
      ends.set(id, end)
      if (call.step !== undefined && after === undefined)
        reportStepEnd(deps, id, { step: call.step, end })
      if (end.verdict !== 'succeeded') {
        block(after?.id ?? id)
        if (plan.isStoppedByFailure && end.error?.protected !== true) deps.raiseStop().catch(failed)
      }
      finish()
    }
    for (const one of steps)
      waitForCallEnd(deps, one, over.signal).then(
        end => note(one, end),
        thrown => thrown !== neverCalled && failed(thrown),
      )
    void drainWhenStopped(deps, remaining, () => isEnding).then(dropped => {
      for (const id of dropped) remaining.delete(id)
      finish()
    }, failed)
    finish()
  })
}

/**
 * Waits for the end of a step. The generator runs a step with hooks itself, as soon as it may
 * begin.
 */
async function waitForCallEnd(
  deps: PlanDeps,
  one: PlannedCall,
  over: AbortSignal,
): Promise<StepEnd> {
  if (!isHooked(one)) {
    const recorded = await deps.watcher.wait(one.call.operation.id)
    return stepEndOf(recorded, deps.sealing)
  }
  await waitForNeeds(deps, one.before ?? one.call.operation, over)
  return (await runHookedCall(deps, one)).end
}

/** The error for hooks that wait for a call which a stop prevented. */
const neverCalled = new Error('the deployment was stopped before this call')

/**
 * Waits until the deployment is stopped and no operation of `remaining` is running. Returns the
 * operations that never ended.
 */
async function drainWhenStopped(
  deps: PlanDeps,
  remaining: ReadonlySet<OperationId>,
  isOver: () => boolean,
): Promise<readonly OperationId[]> {
  for (;;) {
    await deps.clock.sleep(drainPollMs * 4)
    if (isOver()) return []
    const control = await deps.control.read(deps.deployment)
    if (control !== undefined && control.stop === 'none') continue
    await awaitRunning(deps, [...new Set([...remaining, ...deps.watcher.openWaits()])])
    // Ends from this time are reported by their hint or here. The remaining waits are rejected.
    await deps.watcher.settle(neverCalled)
    // Hooks of ended calls may still be running.
    await deps.hooks.waitUntilSettled()
    await deps.clock.sleep(drainPollMs)
    return [...remaining]
  }
}
