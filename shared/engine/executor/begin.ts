import type { OperationsPort } from '../../ports/records.ts'
import type { Head } from '../../records/head.ts'
import type { ExecutorId, OperationId, OwnerToken } from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import { retryUnavailable, type RetrySettings } from '../deployment/retry/retry.ts'
import { isRepeatable } from '../deployment/recovery/recover.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'
import { errorSourceOf, retryPolicy } from '../../providers/retry-policy.ts'

/** What an executor begins for: the deployment, and what it knows of itself. */
export type BeginContext = Pick<
  ExecutionContext,
  'deployment' | 'holdsLease' | 'isAbandoned' | 'onUnsettledBegin'
>

/** The ports that a begin uses. */
export type BeginPorts = Pick<ExecutorPorts, 'operations' | 'control' | 'clock' | 'random'>

/** An attempt that nobody was asked for. */
export interface UncalledAttempt {
  readonly id: OperationId
  readonly owner: OwnerToken
  readonly attempt: number
}

/** What a begin came to. */
export type BeginDecision =
  /** The provider may be asked, once. `isAgain`: an earlier attempt may have asked it. */
  | {
      readonly kind: 'may-call'
      readonly owner: OwnerToken
      readonly attempt: number
      readonly isAgain: boolean
    }
  /** The operation has its end. */
  | { readonly kind: 'ended'; readonly head: Head }
  /** Somebody else has it, it may not be begun again, or nothing begins any more. */
  | { readonly kind: 'left' }

/**
 * Begins an operation for one call, then reads the control record and looks at the own lease: only
 * then may the provider be asked (I1). What began after the stop flag, or in a deployment that is
 * over, is given back: nobody was asked for it. Whoever sets the flag and reads the heads after
 * that finds each attempt that came before, for the one read or the other must see the other's
 * write. Throws what the store threw; then the attempt was given back, or `leftBegun` was called.
 */
export async function beginUnlessStopped(
  ports: BeginPorts,
  context: BeginContext,
  task: {
    readonly operation: Pick<Operation, 'id' | 'needs' | 'op' | 'skipCall' | 'urn'>
    readonly executor: ExecutorId
  },
): Promise<BeginDecision> {
  const { operation, executor } = task
  const { id, needs } = operation
  const owner = ports.random.uuid() as OwnerToken
  const claim = { owner, executor, attempt: 0, needs }
  let isAgain = false
  let begun = await beginOrSettle(ports, context, { id, claim })
  if (begun.kind === 'refused') {
    const { head } = begun
    if (head.end !== undefined) return { kind: 'ended', head }
    if (head.owner !== '' || head.attempt === 0) return { kind: 'left' }
    // Given back by each that had it, nobody called; else only what may be repeated begins again.
    isAgain = head.givenBack < head.attempt
    if (isAgain && !isRepeatable(operation)) return { kind: 'left' }
    begun = await beginOrSettle(ports, context, { id, claim: { ...claim, attempt: head.attempt } })
    if (begun.kind === 'refused') return { kind: 'left' }
  }
  const { attempt } = begun
  const mine = { id, owner, attempt }
  const control = await ports.control.read(context.deployment).catch(async (thrown: unknown) => {
    await returnAttempt(ports, context, mine)
    throw thrown
  })
  const isStopped = control === undefined || control.closed || control.stop !== 'none'
  if (isStopped || !context.holdsLease()) {
    await returnAttempt(ports, context, mine)
    return { kind: 'left' }
  }
  return { kind: 'may-call', owner, attempt, isAgain }
}

/**
 * Begins an operation. When the store does not answer, the write may have been done: it is undone,
 * or else the executor leaves, for nobody recovers what a living one has begun. Throws what the
 * store threw.
 */
async function beginOrSettle(
  ports: Pick<ExecutorPorts, 'operations'>,
  context: BeginContext,
  request: { readonly id: OperationId; readonly claim: Parameters<OperationsPort['begin']>[2] },
): ReturnType<OperationsPort['begin']> {
  const { operations } = ports
  const { id, claim } = request
  try {
    return await operations.begin(context.deployment, id, claim)
  } catch (thrown) {
    if (errorSourceOf(thrown) === 'store')
      await operations
        .giveBack(context.deployment, id, claim.owner, claim.attempt + 1)
        .catch(() => context.onUnsettledBegin())
    throw thrown
  }
}

/**
 * Gives an attempt back of which nobody was asked: it must not be left begun by a bad moment of the
 * store, for its owner lives. Throws what the store threw to the end; then the executor leaves.
 */
export async function returnAttempt(
  ports: Pick<ExecutorPorts, 'operations' | 'clock' | 'random'>,
  context: BeginContext,
  { id, owner, attempt }: UncalledAttempt,
): Promise<void> {
  const retryOptions: RetrySettings = {
    clock: ports.clock,
    random: ports.random,
    backoff: retryPolicy.store.again,
    shouldRetry: () => !context.isAbandoned(),
    onRetry: () => undefined,
  }
  try {
    await retryUnavailable(retryOptions, () =>
      ports.operations.giveBack(context.deployment, id, owner, attempt),
    )
  } catch (thrown) {
    context.onUnsettledBegin()
    throw thrown
  }
}
