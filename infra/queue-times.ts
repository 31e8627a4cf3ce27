import type { QueueName } from '../shared/config/aws-resource-names.ts'
import { limits } from '../shared/config/limits.ts'

/**
 * How long a message is hidden that a function has, in seconds: Lambda refuses an event source
 * whose queue hides less than the function may run. Handlers shorten it once they have the message.
 */
export const hiddenSeconds: Readonly<Record<QueueName, number>> = {
  chains: 960,
  nudges: 960,
  notifications: 360,
  // Tasks renew what they hold: a lease is enough.
  'chains-long': limits.visibilityMs / 1_000,
  'nudges-long': limits.visibilityMs / 1_000,
}
