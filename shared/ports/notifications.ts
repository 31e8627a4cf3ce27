import type { NotificationEvent, CommitStatusReply } from '../records/notification.ts'
import type { DocumentKey } from './documents.ts'

/**
 * An outgoing message: a notification to one receiver, a reply to a repository host, or a delivery
 * that a user requests. `ping` sends a test delivery. `redelivery` sends a delivery of the history
 * again, once per request. `id` is the id of the delivery, and `request` a random text.
 */
export type OutgoingMessage =
  | {
      readonly kind: 'notification'
      readonly key: DocumentKey
      readonly event: NotificationEvent
    }
  | { readonly kind: 'reply'; readonly reply: CommitStatusReply }
  | { readonly kind: 'ping'; readonly key: DocumentKey; readonly id: string }
  | {
      readonly kind: 'redelivery'
      readonly key: DocumentKey
      readonly id: string
      readonly request: string
    }

/** A message in delivery. Other receivers cannot get it until its visibility timeout has passed. */
export interface OutgoingDelivery {
  readonly message: OutgoingMessage
  readonly receipt: string
  /** Number of deliveries of the message, including this one. */
  readonly deliveries: number
}

/**
 * The queue of outgoing messages: at-least-once delivery, no order. After
 * `triggerLimits.notificationAttemptsMax` deliveries without removal, a message becomes a dead
 * letter.
 */
export interface NotificationsPort {
  /** Adds messages to the queue. Throws MESSAGE_TOO_LARGE. */
  readonly send: (messages: readonly OutgoingMessage[]) => Promise<void>
  /**
   * Waits up to `waitMs` for at least one message. Receives no message after `signal` has aborted.
   */
  readonly receive: (
    messagesMax: number,
    waitMs: number,
    signal?: AbortSignal,
  ) => Promise<readonly OutgoingDelivery[]>
  readonly remove: (receipt: string) => Promise<void>
  /** Makes the message visible to receivers again after `ms`, which is at most an hour. */
  readonly postpone: (receipt: string, ms: number) => Promise<void>
  /** Lists at most `limit` dead letters. */
  readonly listDeadLetters: (limit: number) => Promise<readonly OutgoingMessage[]>
  /** Turns dead letters into new messages, and returns their number. SQS: about 5,000 per call. */
  readonly redrive: () => Promise<number>
}
