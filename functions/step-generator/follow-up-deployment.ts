import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { NotifierPorts } from '../../shared/runtime/deployment/stack-server-deps.ts'
import { type ExpiryResult, removeExpiredStack } from './remove-expired-stack.ts'
import { notifyEnded } from './send-notifications.ts'

/**
 * Sends the notifications about the last deployment of a stack, and removes the stack if its
 * schedule requires it. `waiting`: the removal must wait, or another process sends the
 * notifications. The caller must then repeat this check after `waitMs`. Throws the errors of the
 * stores.
 */
export async function followUpLastDeployment(
  deps: { readonly platform: Platform; readonly notifier: NotifierPorts },
  stack: StackId,
): Promise<ExpiryResult> {
  const [lastDeployment] = await deps.platform.catalog.listHistory(stack, 1)
  // Another process has begun to send the notifications, and also follows the deployment up. If
  // that process has died, the next check sends them.
  if (!(await notifyEnded(deps, lastDeployment)))
    return { kind: 'waiting', waitMs: triggerLimits.deliveryClaimMs }
  return removeExpiredStack(deps, lastDeployment)
}
