import { limits } from '../../config/limits.ts'
import { hasCode } from '../../errors/error.ts'
import type { OperationsPort } from '../../ports/records.ts'
import type { OperationId, OwnerToken } from '../../records/ids.ts'
import { keepTrying } from '../deployment/keep-trying.ts'
import type { ExecutionContext, ExecutorPorts } from './execution-context.ts'

/** An attempt that nobody was asked for. */
interface Unasked {
  readonly id: OperationId
  readonly owner: OwnerToken
  readonly attempt: number
}

/**
 * Begins an operation. When the store does not answer, the write may have been done: it is undone,
 * or else the executor leaves, for nobody recovers what a living one has begun. Throws what the
 * store threw.
 */
export async function beginOrSettle(
  ports: Pick<ExecutorPorts, 'operations'>,
  context: ExecutionContext,
  what: { readonly id: OperationId; readonly claim: Parameters<OperationsPort['begin']>[2] },
): ReturnType<OperationsPort['begin']> {
  const { operations } = ports
  const { id, claim } = what
  try {
    return await operations.begin(context.deployment, id, claim)
  } catch (thrown) {
    if (hasCode(thrown, 'STORE_UNAVAILABLE'))
      await operations
        .giveBack(context.deployment, id, claim.owner, claim.attempt + 1)
        .catch(() => context.leftBegun())
    throw thrown
  }
}

/**
 * Gives an attempt back of which nobody was asked: it must not be left begun by a bad moment of the
 * store, for its owner lives. Throws what the store threw to the end; then the executor leaves.
 */
export async function giveBack(
  ports: Pick<ExecutorPorts, 'operations' | 'clock' | 'random'>,
  context: ExecutionContext,
  { id, owner, attempt }: Unasked,
): Promise<void> {
  const trying = {
    clock: ports.clock,
    random: ports.random,
    forMs: limits.storeTriedMs,
    isWorthIt: () => !context.isAbandoned(),
    said: () => undefined,
  }
  try {
    await keepTrying(trying, () =>
      ports.operations.giveBack(context.deployment, id, owner, attempt),
    )
  } catch (thrown) {
    context.leftBegun()
    throw thrown
  }
}
