import type { QueueName } from './aws-resource-names.ts'
import { limits } from './limits.ts'
import { triggerLimits } from './trigger-limits.ts'

/** Returns how often a message of a queue is delivered before it becomes a dead letter. */
export function deliveriesLimitOf(queue: QueueName): number {
  // Notifications get more deliveries, because an external receiver can be unreachable for hours.
  return queue === 'notifications' ? triggerLimits.notificationAttemptsMax : limits.deliveriesMax
}
