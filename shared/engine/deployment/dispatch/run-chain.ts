import type { Head } from '../../../records/head.ts'
import type { OperationId } from '../../../records/ids.ts'
import { isUnsent } from '../../../records/operation.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { emitStepBegin } from '../../events/replace-events.ts'
import type { Step, TrackedState } from '../../step.ts'
import type { EndedStep, StepEnd } from '../../step-end.ts'
import { toChainMessages } from './chain-messages.ts'
import { runHookedCall, type HookDeps } from './run-hooked-call.ts'
import type { RecordedEnd } from '../ends/end-watcher.ts'
import { type PlannedCall, groupHooks, isHooked, type PlannedOperation } from './hook-operations.ts'
import type { Liveness } from '../ownership/liveness.ts'
import { stepEndOf } from '../ends/recorded-end.ts'
import type { Slots } from './slots.ts'

/** The dependencies of following a chain. */
export interface ChainDeps extends HookDeps {
  /** The limit of chains in flight. If absent, the executors limit them. */
  readonly slots?: Slots | undefined
  readonly liveness: Pick<Liveness, 'observe'>
  /** The operations that this process ran itself and has reported already. */
  readonly reported: Set<OperationId>
}

/**
 * Sends a chain whose record is durable, and follows it to its end or to the first step that does
 * not succeed. `earlierEnds`: ends from before this generator run. A chain that they do not
 * complete is sent again, which has no effect on running operations.
 */
export async function runChain(
  deps: ChainDeps,
  chain: readonly PlannedOperation[],
  earlierEnds: { readonly has: (id: OperationId) => boolean } = new Set(),
): Promise<readonly EndedStep[]> {
  const isOver = chain.every(({ operation }) => earlierEnds.has(operation.id))
  const releaseSlot = isOver ? undefined : await deps.slots?.acquire()
  try {
    return await sendChain(deps, chain, isOver)
  } finally {
    releaseSlot?.()
  }
}

async function sendChain(
  deps: ChainDeps,
  chain: readonly PlannedOperation[],
  isOver: boolean,
): Promise<readonly EndedStep[]> {
  const steps = groupHooks(chain)
  const plain = steps.filter(one => !isHooked(one))
  const waits = new Map(
    plain.map(({ call: { operation } }) => {
      const wait = deps.watcher.wait(operation.id)
      wait.catch(() => undefined)
      return [operation.id, wait] as const
    }),
  )
  const [first] = chain
  if (first !== undefined && !isOver && !isUnsent(first.operation))
    await deps.chains.send(toChainMessages(deps.deployment, [first.operation]))
  const ended: EndedStep[] = []
  for (const one of steps) {
    const { operation, step } = one.call
    if (step === undefined) break
    const { end, made, head } = await waitForEnd(deps, one, waits)
    if (!isHooked(one)) reportStepEnd(deps, operation.id, { step, end })
    const tracked = end.state === undefined ? undefined : trackedStateOf(end.state, made)
    const executor = head?.executor ?? ''
    const isOrphaned =
      end.verdict === 'interrupted' &&
      executor !== '' &&
      (await deps.liveness.observe()).has(executor)
    ended.push({ step, end, tracked, isOrphaned })
    if (end.verdict !== 'succeeded') break
  }
  return ended
}

/** Waits for the end of a chain's step. Returns it with the operation that has the state. */
async function waitForEnd(
  deps: ChainDeps,
  one: PlannedCall,
  waits: ReadonlyMap<OperationId, Promise<RecordedEnd>>,
): Promise<{ readonly end: StepEnd; readonly made: OperationId; readonly head: Head | undefined }> {
  if (isHooked(one)) {
    const { end, operation, recorded } = await runHookedCall(deps, one)
    return { end, made: operation.id, head: recorded?.head }
  }
  const { id } = one.call.operation
  const recorded = await (waits.get(id) ?? deps.watcher.wait(id))
  return { end: stepEndOf(recorded, deps.sealing), made: id, head: recorded.head }
}

/**
 * Counts an end and reports it, unless this process ran the operation and has reported it already.
 */
export function reportStepEnd(
  { emitter, reported }: Pick<ChainDeps, 'emitter' | 'reported'>,
  id: OperationId,
  { step, end }: { readonly step: Step; readonly end: StepEnd },
): void {
  if (!reported.has(id)) {
    reported.add(id)
    emitStepBegin(emitter, step)
    for (const view of end.views ?? []) emitter.emitBegin(view.step)
    emitter.emitEnd(step, end)
  }
  emitter.count(step, end)
}

/** Reports whether a chain of `length` steps succeeded completely. */
export function isChainComplete(ended: readonly EndedStep[], length: number): boolean {
  return ended.length === length && ended.every(({ end }) => end.verdict === 'succeeded')
}

/** Returns a state with a reference to the operation that created it. */
export function trackedStateOf(state: ResourceState, operation: OperationId): TrackedState {
  return { state, ref: { kind: 'operation', operation } }
}
