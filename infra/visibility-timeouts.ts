import type { QueueName } from '../shared/config/aws-resource-names.ts'
import { limits } from '../shared/config/limits.ts'

/**
 * Visibility timeouts of messages, in seconds. Lambda refuses an event source whose timeout is
 * shorter than the function's time limit. A handler shortens the timeout of a received message.
 */
export const defaultVisibilitySeconds: Readonly<Record<QueueName, number>> = {
  chains: 960,
  nudges: 960,
  notifications: 360,
  // Tasks renew their messages, so one lease is sufficient.
  'chains-long': limits.visibilityMs / 1_000,
  'nudges-long': limits.visibilityMs / 1_000,
}
