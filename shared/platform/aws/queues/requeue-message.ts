import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { withAwsErrors } from '../aws-error.ts'
import { queueNameOf, type RawMessage } from './receive-messages.ts'
import { removeMessage } from './remove-message.ts'

/**
 * Replaces a message of an event source by a new one for another receiver. An intentional failure
 * of the function would delay the message and count as a delivery. A crash between send and removal
 * leaves both messages, which is harmless (I4).
 */
export async function requeueMessage(
  sqs: SQSClient,
  url: string,
  { body, handle }: Pick<RawMessage, 'body' | 'handle'>,
): Promise<void> {
  const command = new SendMessageCommand({ QueueUrl: url, MessageBody: body })
  await withAwsErrors(`queue ${queueNameOf(url)}: send`, () => sqs.send(command))
  await removeMessage(sqs, url, handle)
}
