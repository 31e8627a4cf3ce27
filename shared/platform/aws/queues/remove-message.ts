import { DeleteMessageCommand, type SQSClient } from '@aws-sdk/client-sqs'
import { guarded, nameOf } from '../failures.ts'
import { isVoid } from './loans.ts'
import { nameOfQueue } from './poll.ts'

/** Removes a message; does nothing when its receipt is void, as after a reply that was lost. */
export async function removeMessage(sqs: SQSClient, url: string, handle: string): Promise<void> {
  const command = new DeleteMessageCommand({ QueueUrl: url, ReceiptHandle: handle })
  await guarded(`queue ${nameOfQueue(url)}: delete`, async () => {
    try {
      await sqs.send(command)
    } catch (thrown) {
      // Gone already, or somebody else's now, who removes it as well.
      if (!isVoid(nameOf(thrown))) throw thrown
    }
  })
}
