import { DeleteMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { withAwsErrors, errorNameOf } from '../aws-error.ts'
import { isVoidReceipt } from './visibility-timeouts.ts'
import { queueNameOf } from './receive-messages.ts'

/** Removes a message; does nothing when its receipt is void, as after a reply that was lost. */
export async function removeMessage(sqs: SQSClient, url: string, handle: string): Promise<void> {
  const command = new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: handle })
  await withAwsErrors(`queue ${queueNameOf(url)}: delete`, async () => {
    try {
      await sqs.send(command)
    } catch (thrown) {
      // Gone already, or somebody else's now, who removes it as well.
      if (!isVoidReceipt(errorNameOf(thrown))) throw thrown
    }
  })
}
