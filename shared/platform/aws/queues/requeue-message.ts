import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { withAwsErrors } from '../aws-error.ts'
import { queueNameOf, type RawMessage } from './receive-messages.ts'
import { removeMessage } from './remove-message.ts'

/**
 * Makes a message that an event source handed over a new one, for somebody else, and removes it: a
 * call that fails on purpose would let it wait, and count as one of its deliveries. Who dies in
 * between leaves it twice, which is harmless (I4).
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
