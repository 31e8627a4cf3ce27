import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { withAwsErrors } from '../aws-error.ts'
import {
  deliveriesAttribute,
  queueNameOf,
  type RawMessage,
  refusalsAttribute,
} from './receive-messages.ts'
import { removeMessage } from './remove-message.ts'

/**
 * Sends a message of an event source again, and removes the received one. Another receiver can then
 * get the message immediately. An intentional failure of the function would delay the message and
 * count as a delivery. The new message gets the `refusals` that the caller passes: after a refusal
 * the new count, or 0 if the refusing environment ends. `delayMs`: the time before its delivery,
 * rounded up to whole seconds, at most the longest delay of SQS. A crash between send and removal
 * leaves both messages. This is harmless, because the records decide (I4).
 */
export async function requeueMessage(
  sqs: SQSClient,
  url: string,
  message: Omit<RawMessage, 'id'> & { readonly delayMs?: number },
): Promise<void> {
  const { body, handle, refusals, deliveries, delayMs = 0 } = message
  const command = new SendMessageCommand({
    QueueUrl: url,
    MessageBody: body,
    ...(delayMs > 0 ? { DelaySeconds: Math.ceil(delayMs / 1_000) } : {}),
    MessageAttributes: {
      [refusalsAttribute]: { DataType: 'Number', StringValue: String(refusals) },
      // The refused delivery does not count. SQS counts the deliveries of the new message from 1.
      [deliveriesAttribute]: { DataType: 'Number', StringValue: String(deliveries - 1) },
    },
  })
  await withAwsErrors(`queue ${queueNameOf(url)}: send`, () => sqs.send(command))
  await removeMessage(sqs, url, handle)
}
