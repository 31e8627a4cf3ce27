import type { QueueName } from '../shared/config/aws-resource-names.ts'
import { limits } from '../shared/config/limits.ts'

/**
 * Visibility timeouts of messages by queue, in seconds. Lambda refuses an event source if the
 * timeout of its queue is shorter than the function's time limit. A handler shortens the timeout of
 * a received message.
 */
export const defaultVisibilitySeconds: Readonly<Record<QueueName, number>> = {
  chains: 960,
  nudges: 960,
  notifications: 360,
  // Tasks extend the timeout while they work, so the duration of one lease is sufficient.
  'chains-long': limits.visibilityMs / 1_000,
  'nudges-long': limits.visibilityMs / 1_000,
}
