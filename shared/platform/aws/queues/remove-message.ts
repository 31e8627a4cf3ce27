import { DeleteMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { withAwsErrors, errorNameOf } from '../aws-error.ts'
import { isInvalidReceiptError } from './delivery-receipts.ts'
import { queueNameOf } from './receive-messages.ts'

/**
 * Removes a message. Does nothing when its receipt is no longer valid, for example because an
 * earlier removal succeeded and its response was lost.
 */
export async function removeMessage(sqs: SQSClient, url: string, handle: string): Promise<void> {
  const command = new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: handle })
  await withAwsErrors(`queue ${queueNameOf(url)}: delete`, async () => {
    try {
      await sqs.send(command)
    } catch (thrown) {
      // The message is already removed, or another receiver has it and removes it.
      if (!isInvalidReceiptError(errorNameOf(thrown))) throw thrown
    }
  })
}
