import type { OperationSlot } from '../deployment/dispatch/operation-slots.ts'
import { isRepeatable } from '../deployment/recovery/recover.ts'
import type { CallPermit } from '../call-limits/call-limiter.ts'
import type { OperationObservation } from '../telemetry/observe-operation.ts'
import { acquireCallPermit } from './acquire-call-permit.ts'
import type { ExecutionContext } from './execution-context.ts'

/** The slot of an operation, and the permit for its call. */
export interface CallSlot {
  readonly slot: OperationSlot
  readonly permit: CallPermit
}

/**
 * Waits until an operation may call its provider and has a slot. The operation holds no slot while
 * it waits for the limits. If a rate was lowered while the operation waited for its slot, releases
 * the slot and waits for the limits again. Calls `endLoad` before each wait for limits, and when
 * the slot is held. If there is no permit, resolves like `CallLimiter.acquire`. Throws the errors
 * of the store.
 */
export async function acquireCallSlot(
  ports: Parameters<typeof acquireCallPermit>[0],
  context: Parameters<typeof acquireCallPermit>[1] & Pick<ExecutionContext, 'slots'>,
  {
    operation,
    observation,
    endLoad,
  }: Pick<Parameters<typeof acquireCallPermit>[2], 'operation'> & {
    readonly observation: OperationObservation
    readonly endLoad: () => void
  },
): Promise<CallSlot | { readonly retryMs: number } | undefined> {
  for (;;) {
    const permit = await acquireCallPermit(ports, context, { operation, onWait: endLoad })
    // The operation already waits in this process, because of another delivery.
    if (permit === undefined) return undefined
    observation.endWait('limit')
    if ('retryMs' in permit) return permit
    // A limited call must start immediately, so its slot must allow the call and not only the
    // begin.
    const beginsEarly = !permit.isLimited && isRepeatable(operation)
    const slot = await context.slots.acquire({ beginsEarly })
    observation.endWait('slot')
    if (await permit.isCurrent()) {
      endLoad()
      permit.onStart()
      return { slot, permit }
    }
    slot.release()
    await permit.end('other')
  }
}
