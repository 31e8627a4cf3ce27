import type { OperationsPort } from '../../ports/records.ts'
import type { Operation } from '../../records/operation.ts'
import { typeOf } from '../../names/urn.ts'
import type { CallLimiter, CallPermit } from '../call-limits/call-limiter.ts'
import type { ExecutionContext } from './execution-context.ts'
import { timedCallOf } from './duration-key.ts'

/** The permit of an operation that calls no provider. */
const freePermit: CallPermit = {
  isLimited: false,
  isCurrent: async () => true,
  onStart: () => undefined,
  end: async () => undefined,
}

/**
 * Waits until an operation may call its provider under the limits of its stack. Calls `onWait`
 * before it waits. Resolves like `CallLimiter.acquire`. Throws the errors of the store.
 */
export async function acquireCallPermit(
  { operations }: { readonly operations: Pick<OperationsPort, 'getHeads'> },
  context: Pick<ExecutionContext, 'deployment' | 'limiter' | 'openStep' | 'providerInputsOf'>,
  { operation, onWait }: { readonly operation: Operation; readonly onWait: () => void },
): ReturnType<CallLimiter['acquire']> {
  const call = operation.skipCall === true ? undefined : timedCallOf(operation.op)
  if (call === undefined) return freePermit
  const { id } = operation
  return context.limiter.acquire(id, {
    call,
    type: typeOf(operation.urn),
    onWait,
    async readInputs() {
      const step = await context.openStep(operation).catch(() => undefined)
      const state = step?.next ?? step?.old?.state
      const providerInputs = context.providerInputsOf(operation.provider)
      return [state?.inputs, providerInputs].filter(inputs => inputs !== undefined)
    },
    async isBegun() {
      const head = (await operations.getHeads(context.deployment, [id])).get(id)
      return head !== undefined && (head.owner !== '' || head.end !== undefined)
    },
  })
}
