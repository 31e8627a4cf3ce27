import type { Head } from '../../../records/head.ts'
import type { OperationId } from '../../../records/ids.ts'
import { isJoinOrHook } from '../../../records/operation.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { emitStepBegin } from '../../events/replace-events.ts'
import type { Step, TrackedState } from '../../step.ts'
import type { EndedStep, StepEnd } from '../../step-end.ts'
import { toChainMessages } from './chain-messages.ts'
import { runHookedCall } from './run-hooked-call.ts'
import type { HookDeps } from './run-hooks.ts'
import type { RecordedEnd } from '../ends/end-watcher.ts'
import { type PlannedCall, groupHooks, isHooked, type PlannedOperation } from './hook-operations.ts'
import type { Liveness } from '../ownership/liveness.ts'
import { stepEndOf } from '../ends/open-recorded-end.ts'
import type { ChainSlots } from './parallel-limit.ts'

/** The dependencies of running a chain. */
export interface ChainDeps extends HookDeps {
  /** The limit of concurrently running chains. Absent: the executors limit the chains. */
  readonly slots?: ChainSlots | undefined
  readonly liveness: Pick<Liveness, 'observe'>
  /** The operations whose steps this process has reported. */
  readonly reportedOperations: Set<OperationId>
}

/**
 * Sends the first operation of a chain whose record is durable. Follows the chain to its end, or to
 * the first step that does not succeed. `earlierEnds`: ends from before this generator run. If
 * these ends do not complete the chain, its first operation is sent again. The repetition has no
 * effect on an operation that is running or has ended.
 */
export async function runChain(
  deps: ChainDeps,
  chain: readonly PlannedOperation[],
  earlierEnds: { readonly has: (id: OperationId) => boolean } = new Set(),
): Promise<readonly EndedStep[]> {
  const ids = chain.map(({ operation }) => operation.id)
  const isChainEnded = ids.every(id => earlierEnds.has(id))
  const releaseSlot = isChainEnded ? undefined : await deps.slots?.acquire(ids)
  try {
    return await sendAndFollow(deps, chain, isChainEnded)
  } finally {
    releaseSlot?.()
  }
}

/**
 * Sends the first operation of a chain, unless the chain has ended or begins with a hook. Waits for
 * the ends.
 */
async function sendAndFollow(
  deps: ChainDeps,
  chain: readonly PlannedOperation[],
  isChainEnded: boolean,
): Promise<readonly EndedStep[]> {
  const calls = groupHooks(chain)
  const unhookedCalls = calls.filter(plannedCall => !isHooked(plannedCall))
  const waits = new Map(
    unhookedCalls.map(({ call: { operation } }) => {
      const wait = deps.watcher.wait(operation.id)
      // After a failed step the remaining waits are not awaited. Their rejections must not count as
      // unhandled.
      wait.catch(() => undefined)
      return [operation.id, wait] as const
    }),
  )
  const [first] = chain
  if (first !== undefined && !isChainEnded && !isJoinOrHook(first.operation))
    await deps.chains.send(toChainMessages(deps.deployment, [first.operation]))
  const endedSteps: EndedStep[] = []
  for (const plannedCall of calls) {
    const { operation, step } = plannedCall.call
    if (step === undefined) break
    const { end, stateOperationId, head } = await waitForEnd(deps, plannedCall, waits)
    if (!isHooked(plannedCall)) reportStepEnd(deps, operation.id, { step, end })
    const trackedState =
      end.state === undefined ? undefined : trackedStateOf(end.state, stateOperationId)
    const executor = head?.executor ?? ''
    const isExecutorGone =
      end.verdict === 'interrupted' &&
      executor !== '' &&
      (await deps.liveness.observe()).has(executor)
    endedSteps.push({ step, end, trackedState, isExecutorGone })
    if (end.verdict !== 'succeeded') break
  }
  return endedSteps
}

/**
 * Waits for the end of a call. Returns the end, the operation that has the resulting state, and the
 * head of this operation.
 */
async function waitForEnd(
  deps: ChainDeps,
  plannedCall: PlannedCall,
  waits: ReadonlyMap<OperationId, Promise<RecordedEnd>>,
): Promise<{
  readonly end: StepEnd
  readonly stateOperationId: OperationId
  readonly head: Head | undefined
}> {
  if (isHooked(plannedCall)) {
    const { end, operation, recordedEnd } = await runHookedCall(deps, plannedCall)
    return { end, stateOperationId: operation.id, head: recordedEnd?.head }
  }
  const { id } = plannedCall.call.operation
  const recordedEnd = await (waits.get(id) ?? deps.watcher.wait(id))
  return { end: stepEndOf(recordedEnd, deps.sealing), stateOperationId: id, head: recordedEnd.head }
}

/**
 * Counts the end of a step. Reports the step too, unless this process ran the operation and has
 * already reported it.
 */
export function reportStepEnd(
  { emitter, reportedOperations }: Pick<ChainDeps, 'emitter' | 'reportedOperations'>,
  id: OperationId,
  { step, end }: { readonly step: Step; readonly end: StepEnd },
): void {
  if (!reportedOperations.has(id)) {
    reportedOperations.add(id)
    emitStepBegin(emitter, step)
    for (const view of end.views ?? []) emitter.emitBegin(view.step)
    emitter.emitEnd(step, end)
  }
  emitter.count(step, end)
}

/** Reports whether a chain of `length` steps succeeded completely. */
export function isChainComplete(endedSteps: readonly EndedStep[], length: number): boolean {
  return endedSteps.length === length && endedSteps.every(({ end }) => end.verdict === 'succeeded')
}

/** Returns the resulting state of an operation with a reference to the operation. */
export function trackedStateOf(state: ResourceState, operation: OperationId): TrackedState {
  return { state, ref: { kind: 'operation', operation } }
}
