import type { QueueName } from '../shared/config/aws-resource-names.ts'
import { limits } from '../shared/config/limits.ts'

/**
 * Visibility timeouts of messages by queue, in seconds. Lambda refuses an event source if the
 * timeout of its queue is shorter than the function's time limit. While an executor runs the
 * operations of a message, it repeatedly sets the timeout of the message to one minute.
 */
export const defaultVisibilitySeconds: Readonly<Record<QueueName, number>> = {
  chains: 960,
  nudges: 960,
  notifications: 360,
  // This timeout suffices for a task of the long pool. The task extends the timeout of its chain
  // messages, and removes a nudge on receipt.
  'chains-long': limits.visibilityMs / 1_000,
  'nudges-long': limits.visibilityMs / 1_000,
}
