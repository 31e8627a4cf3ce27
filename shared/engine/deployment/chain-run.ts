import type { Head } from '../../records/head.ts'
import type { OperationId } from '../../records/ids.ts'
import { isUnsent } from '../../records/operation.ts'
import type { ResourceState } from '../../state/resource.ts'
import { tellBegin } from '../events/replaces.ts'
import type { Step, TrackedState } from '../step.ts'
import type { EndedStep, StepEnd } from '../step-end.ts'
import { chainMessages } from './chain-messages.ts'
import { driveHooked, type HookDeps } from './drive-hooked.ts'
import type { RecordedEnd } from './end-watcher.ts'
import { type Gathered, gathered, isHooked, type PlannedOperation } from './hook-operations.ts'
import type { Liveness } from './liveness.ts'
import { stepEndOf } from './recorded-end.ts'
import type { Slots } from './slots.ts'

/** What following a chain needs. */
export interface ChainDeps extends HookDeps {
  /** What bounds the chains in flight; executors do where it is absent. */
  readonly slots?: Slots | undefined
  readonly liveness: Pick<Liveness, 'look'>
  /** The operations of which this process has told already, because it ran them. */
  readonly told: Set<OperationId>
}

/**
 * Sends a chain whose record is durable and follows it to its end, or to the first that does not
 * succeed. `before`: ends that stood before this life; a chain that they do not complete is sent
 * again, which is harmless where it runs.
 */
export async function runChain(
  deps: ChainDeps,
  chain: readonly PlannedOperation[],
  before: { readonly has: (id: OperationId) => boolean } = new Set(),
): Promise<readonly EndedStep[]> {
  const isOver = chain.every(({ operation }) => before.has(operation.id))
  const leave = isOver ? undefined : await deps.slots?.take()
  try {
    return await sendChain(deps, chain, isOver)
  } finally {
    leave?.()
  }
}

async function sendChain(
  deps: ChainDeps,
  chain: readonly PlannedOperation[],
  isOver: boolean,
): Promise<readonly EndedStep[]> {
  const steps = gathered(chain)
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
    await deps.chains.send(chainMessages(deps.deployment, [first.operation]))
  const ended: EndedStep[] = []
  for (const one of steps) {
    const { operation, step } = one.call
    if (step === undefined) break
    const { end, made, head } = await endOf(deps, one, waits)
    if (!isHooked(one)) tellEnd(deps, operation.id, { step, end })
    const tracked = end.state === undefined ? undefined : trackedBy(end.state, made)
    const executor = head?.executor ?? ''
    const isOrphaned =
      end.verdict === 'interrupted' && executor !== '' && (await deps.liveness.look()).has(executor)
    ended.push({ step, end, tracked, isOrphaned })
    if (end.verdict !== 'succeeded') break
  }
  return ended
}

/** How a step of a chain ended, and the operation that has its state. */
async function endOf(
  deps: ChainDeps,
  one: Gathered,
  waits: ReadonlyMap<OperationId, Promise<RecordedEnd>>,
): Promise<{ readonly end: StepEnd; readonly made: OperationId; readonly head: Head | undefined }> {
  if (isHooked(one)) {
    const { end, operation, recorded } = await driveHooked(deps, one)
    return { end, made: operation.id, head: recorded?.head }
  }
  const { id } = one.call.operation
  const recorded = await (waits.get(id) ?? deps.watcher.wait(id))
  return { end: stepEndOf(recorded, deps.sealing), made: id, head: recorded.head }
}

/** Counts an end, and tells of it unless the process that ran it is this one and has. */
export function tellEnd(
  { emitter, told }: Pick<ChainDeps, 'emitter' | 'told'>,
  id: OperationId,
  { step, end }: { readonly step: Step; readonly end: StepEnd },
): void {
  if (!told.has(id)) {
    told.add(id)
    tellBegin(emitter, step)
    for (const view of end.views ?? []) emitter.pre(view.step)
    emitter.ended(step, end)
  }
  emitter.count(step, end)
}

/** Whether a chain of so many operations ended well. */
export function isWhole(ended: readonly EndedStep[], length: number): boolean {
  return ended.length === length && ended.every(({ end }) => end.verdict === 'succeeded')
}

/** A state that an operation made. */
export function trackedBy(state: ResourceState, operation: OperationId): TrackedState {
  return { state, ref: { kind: 'operation', operation } }
}
