import type { NotificationEvent, Reply } from '../records/notification.ts'
import type { DocumentKey } from './documents.ts'

/** Something that is to be told outside: to one receiver, or at the host of a repository. */
export type OutgoingMessage =
  | {
      readonly kind: 'notification'
      readonly key: DocumentKey
      readonly event: NotificationEvent
    }
  | { readonly kind: 'reply'; readonly reply: Reply }

/** A message on loan: invisible to others until its time is over. */
export interface OutgoingDelivery {
  readonly message: OutgoingMessage
  readonly receipt: string
  /** How often it was delivered, this time included. */
  readonly deliveries: number
}

/**
 * What is to be told outside, until it is told: at least once, no order. A message that was
 * delivered `triggerLimits.notificationAttemptsMax` times and not removed is a dead letter.
 */
export interface NotificationsPort {
  /** Throws MESSAGE_TOO_LARGE. */
  readonly send: (messages: readonly OutgoingMessage[]) => Promise<void>
  /** Waits up to `waitMs` for at least one; takes none once `signal` has aborted. */
  readonly receive: (
    max: number,
    waitMs: number,
    signal?: AbortSignal,
  ) => Promise<readonly OutgoingDelivery[]>
  readonly remove: (receipt: string) => Promise<void>
  /** Has the message delivered again after `ms`, not earlier; at most an hour. */
  readonly postpone: (receipt: string, ms: number) => Promise<void>
  /** At most `limit`. */
  readonly listDeadLetters: (limit: number) => Promise<readonly OutgoingMessage[]>
  /** Makes dead letters messages again, as if just sent; answers how many. */
  readonly redrive: () => Promise<number>
}
