import { ChangeMessageVisibilityCommand, type SQSClient } from '@aws-sdk/client-sqs'
import * as z from 'zod'
import { awsLimits } from '../../../config/aws-limits.ts'
import { triggerLimits } from '../../../config/trigger-limits.ts'
import type {
  NotificationsPort,
  OutgoingDelivery,
  OutgoingMessage,
} from '../../../ports/notifications.ts'
import type { ClockPort, LoggerPort } from '../../../ports/system.ts'
import { assert } from '../../../errors/error.ts'
import { withAwsErrors, errorNameOf } from '../aws-error.ts'
import { isInvalidReceiptError } from './delivery-receipts.ts'
import { scanDeadLetters } from './scan-dead-letters.ts'
import { queueNameOf, pollQueues, type QueueUrls, type RawMessage } from './receive-messages.ts'
import { removeMessage } from './remove-message.ts'
import { sendBodies } from './send-bodies.ts'

/**
 * Dependencies of notifications. Only the methods for dead letters need the dead-letter URL.
 */
interface NotificationsDeps {
  readonly sqs: SQSClient
  readonly queue: Pick<QueueUrls, 'url'> & Partial<Pick<QueueUrls, 'deadLetterUrl'>>
  readonly clock: ClockPort
  readonly logger: LoggerPort
  readonly visibilityMs?: number
}

/** Notifications, with the conversion for a function's event source. */
export interface AwsNotifications extends NotificationsPort {
  /**
   * Converts a message of an event source to a delivery. Returns undefined for an unreadable
   * message, which the event source must remove.
   */
  readonly fromEvent: (message: RawMessage) => OutgoingDelivery | undefined
}

/** The key of a notification. */
const keyForm = z.object({
  kind: z.literal('notification'),
  scope: z.string(),
  name: z.string(),
})
/**
 * The form of a message body. It checks only the fields that are used before delivery. The other
 * fields need no check, because only this installation can write to the queue.
 */
const bodyForm = z.object({
  v: z.literal(1),
  message: z.discriminatedUnion('kind', [
    z.looseObject({
      kind: z.literal('notification'),
      key: keyForm,
      event: z.looseObject({ kind: z.string(), stack: z.string() }),
    }),
    z.looseObject({
      kind: z.literal('reply'),
      reply: z.looseObject({ webhook: z.string(), repository: z.string(), commit: z.string() }),
    }),
    z.looseObject({ kind: z.literal('ping'), key: keyForm, id: z.string() }),
    z.looseObject({
      kind: z.literal('redelivery'),
      key: keyForm,
      id: z.string(),
      request: z.string(),
    }),
  ]),
})

/** Creates the notifications over one SQS standard queue. SQS itself creates the dead letters. */
export function createNotifications(deps: NotificationsDeps): AwsNotifications {
  const { sqs, queue, logger, visibilityMs = triggerLimits.notificationVisibilityMs } = deps
  const { url } = queue
  const readMessage = (body: string): OutgoingMessage | undefined => {
    const message = parseMessageBody(body)
    if (message === undefined) logger.write('error', 'notification.unreadable', { queue: url })
    return message
  }
  const fromEvent: AwsNotifications['fromEvent'] = ({ body, handle, deliveries }) => {
    const message = readMessage(body)
    return message === undefined ? undefined : { message, receipt: handle, deliveries }
  }
  return {
    send: messages =>
      sendBodies(
        deps,
        url,
        messages.map(message => JSON.stringify({ v: 1, message })),
      ),
    receive: async (messagesMax, waitMs, signal) => {
      const polled = await pollQueues(deps, [{ url }], {
        messagesMax,
        waitMs,
        visibilityMs,
        signal,
      })
      const deliveries: OutgoingDelivery[] = []
      for (const raw of polled?.messages ?? []) {
        const delivery = fromEvent(raw)
        if (delivery === undefined) await removeMessage(sqs, url, raw.handle)
        else deliveries.push(delivery)
      }
      return deliveries
    },
    remove: receipt => removeMessage(sqs, url, receipt),
    postpone: async (receipt, ms) => {
      const command = new ChangeMessageVisibilityCommand({
        QueueUrl: url,
        ReceiptHandle: receipt,
        VisibilityTimeout: Math.ceil(Math.min(ms, awsLimits.visibilityTimeoutMaxMs) / 1000),
      })
      await withAwsErrors(`queue ${queueNameOf(url)}: postpone`, async () => {
        try {
          await sqs.send(command)
        } catch (thrown) {
          // The message was delivered to another receiver.
          if (!isInvalidReceiptError(errorNameOf(thrown))) throw thrown
        }
      })
    },
    ...createNotificationDeadLetters(deps, readMessage),
    fromEvent,
  }
}

/**
 * Creates the access to the dead letters of notifications. A redrive sends the same bodies again,
 * and then removes the dead letters. Without the URL of the dead-letter queue, the methods throw
 * INTERNAL_ASSERTION.
 */
function createNotificationDeadLetters(
  deps: NotificationsDeps,
  readMessage: (body: string) => OutgoingMessage | undefined,
): Pick<NotificationsPort, 'listDeadLetters' | 'redrive'> {
  const { url } = deps.queue
  const requireDeadLetterUrl = (): string => {
    const deadLetterUrl = deps.queue.deadLetterUrl
    assert(deadLetterUrl !== undefined, 'reading dead letters requires the URL of their queue')
    return deadLetterUrl
  }
  return {
    listDeadLetters: async limit => {
      const messages: OutgoingMessage[] = []
      await scanDeadLetters(deps, requireDeadLetterUrl(), async letters => {
        for (const { body } of letters) {
          const message = readMessage(body)
          if (message !== undefined && messages.length < limit) messages.push(message)
        }
        // No letter is removed.
        return []
      })
      return messages
    },
    redrive: async () => {
      let count = 0
      await scanDeadLetters(deps, requireDeadLetterUrl(), async letters => {
        await sendBodies(
          deps,
          url,
          letters.map(({ body }) => body),
        )
        count = letters.length
        return letters
      })
      return count
    },
  }
}

function parseMessageBody(body: string): OutgoingMessage | undefined {
  try {
    return bodyForm.parse(JSON.parse(body)).message as unknown as OutgoingMessage
  } catch {
    return undefined
  }
}
