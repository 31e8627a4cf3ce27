import type { ChainQueuePort } from '../../ports/queue.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import { isReplacing, type Step, stepOf, type TrackedState } from '../step.ts'
import { type EndedStep, type StepEnd, succeeded } from '../step-end.ts'
import { chainMessages } from './chain-messages.ts'
import type { EndWatcher } from './end-watcher.ts'
import type { Liveness } from './liveness.ts'
import { stepEndOf } from './recorded-end.ts'
import type { Sealing } from './sealing.ts'
import type { Slots } from './slots.ts'

/** What following a chain needs. */
export interface ChainDeps {
  readonly deployment: DeploymentId
  readonly chains: ChainQueuePort
  /** What bounds the chains in flight; executors do where it is absent. */
  readonly slots?: Slots | undefined
  readonly watcher: EndWatcher
  readonly liveness: Pick<Liveness, 'look'>
  readonly sealing: Sealing
  readonly emitter: StepEmitter
  /** The operations of which this process has told already, because it ran them. */
  readonly told: Set<OperationId>
}

/** One operation of a chain with the step that it is. */
export interface ChainLink {
  readonly operation: Operation
  readonly step: Step | undefined
}

/**
 * Sends a chain whose record is durable and follows it to its end, or to the first that does not
 * succeed. `before`: ends that stood before this life; a chain that they do not complete is sent
 * again, which is harmless where it runs.
 */
export async function runChain(
  deps: ChainDeps,
  chain: readonly ChainLink[],
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
  chain: readonly ChainLink[],
  isOver: boolean,
): Promise<readonly EndedStep[]> {
  const waits = chain.map(({ operation }) => {
    const wait = deps.watcher.wait(operation.id)
    wait.catch(() => undefined)
    return wait
  })
  const [first] = chain
  if (first !== undefined && !isOver)
    await deps.chains.send(chainMessages(deps.deployment, [first.operation]))
  const ended: EndedStep[] = []
  for (const [at, { operation, step }] of chain.entries()) {
    const wait = waits[at]
    if (step === undefined || wait === undefined) break
    const recorded = await wait
    const end = stepEndOf(recorded, deps.sealing)
    tellEnd(deps, operation.id, { step, end })
    const tracked = end.state === undefined ? undefined : trackedBy(end.state, operation.id)
    const { executor } = recorded.head
    const isOrphaned =
      end.verdict === 'interrupted' && executor !== '' && (await deps.liveness.look()).has(executor)
    ended.push({ step, end, tracked, isOrphaned })
    if (end.verdict !== 'succeeded') break
  }
  return ended
}

/** Counts an end, and tells of it unless the process that ran it is this one and has. */
export function tellEnd(
  { emitter, told }: Pick<ChainDeps, 'emitter' | 'told'>,
  id: OperationId,
  { step, end }: { readonly step: Step; readonly end: StepEnd },
): void {
  if (!told.has(id)) {
    told.add(id)
    emitter.pre(step)
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

/** Tells of the replace steps of a chain that ended well. */
export function tellReplaces(emitter: StepEmitter, steps: readonly Step[]): void {
  for (const step of steps) {
    if (step.op !== 'replace') continue
    const end = succeeded(step.next)
    emitter.pre(step)
    emitter.ended(step, end)
    emitter.count(step, end)
  }
}

/** The replace step that is told beside the create of a replacement. */
export function replaceStepOf(made: Step): Step | undefined {
  if (!isReplacing(made.op)) return undefined
  if (made.next === undefined) return undefined
  const { old, next, reason } = made
  return stepOf({ op: 'replace', effect: 'none', old, next, reason })
}
