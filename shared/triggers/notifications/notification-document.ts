import * as z from 'zod'
import { type DocumentKey, sealingContextOf } from '../../ports/documents.ts'
import type { NotificationEvent } from '../../records/notification.ts'
import { pulumiFilters, pulumiFilterGroups, selectsEvent } from './pulumi-filters.ts'

/** The kinds of events that a notification can request. */
export const notificationKinds = [
  'started',
  'succeeded',
  'failed',
  'drift',
  'approval',
] as const satisfies readonly NotificationEvent['kind'][]

/**
 * A notification as it is stored. The scope in its document key is a stack id, or '*' for all
 * stacks.
 */
export const notificationDocument = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).max(2000),
  /** `signed`: Antichain's own format. `pulumi`: that of the webhooks of Pulumi's service. */
  format: z.enum(['signed', 'pulumi']).default('signed'),
  /** The sealed secret that signs deliveries. The format `signed` requires it. */
  secret: z.string().optional(),
  /** The id of the stack when the secret was sealed, if the stack was renamed afterwards. */
  secretScope: z
    .string()
    .transform(id => id as DocumentKey['scope'])
    .optional(),
  events: z.array(z.enum(notificationKinds)).min(1),
  /** The filters that a client of Pulumi has set. Filters and groups replace `events`. */
  filters: z.array(z.enum(pulumiFilters)).optional(),
  /** The groups of filters that a client of Pulumi has set. */
  groups: z.array(z.enum(pulumiFilterGroups)).optional(),
  /** The name that a client of Pulumi shows. Control characters could change a terminal. */
  displayName: z
    .string()
    .max(200)
    .regex(/^[^\p{Cc}\p{Cf}]*$/u, 'must have no control characters')
    .optional(),
  isPaused: z.boolean().default(false),
})

/** The settings of a notification: an address, and the events that it receives. */
export type Notification = z.infer<typeof notificationDocument>

/** Reports whether a notification applies to an event. */
export function isNotificationFor(
  { scope }: DocumentKey,
  notification: Notification,
  event: NotificationEvent,
): boolean {
  if (notification.isPaused || (scope !== '*' && scope !== event.stack)) return false
  // A receiver of `approval` also gets `approval-expired`, which has no setting of its own.
  const kind = event.kind === 'approval-expired' ? 'approval' : event.kind
  return selectsEvent(notification, event) ?? notification.events.includes(kind)
}

/** Returns the context of the sealed secret of a notification. */
export function secretContextOf(
  key: DocumentKey,
  { secretScope = key.scope }: Pick<Notification, 'secretScope'>,
): string {
  return sealingContextOf({ ...key, scope: secretScope })
}
