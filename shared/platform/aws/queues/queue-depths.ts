import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs'
import type { QueueDepth, QueueDepthsPort } from '../../../ports/queue-depths.ts'
import { withAwsErrors } from '../aws-error.ts'

/** A queue whose messages are counted. */
interface MeasuredQueue {
  readonly queue: string
  readonly url: string
  /** The URL of its dead-letter queue. Absent: the dead letters are not counted. */
  readonly deadLetterUrl?: string
}

/**
 * Creates the port that counts the messages of queues, with one request for each queue. Throws the
 * errors of `createAwsError`.
 */
export function createQueueDepths(
  sqs: SQSClient,
  queues: readonly MeasuredQueue[],
): QueueDepthsPort {
  const readDepth = async ({ queue, url, deadLetterUrl }: MeasuredQueue): Promise<QueueDepth> =>
    withAwsErrors(`queue ${queue}: count`, async () => {
      const [counts, deadCounts] = await Promise.all([
        readQueueCounts(sqs, url),
        deadLetterUrl === undefined ? undefined : readQueueCounts(sqs, deadLetterUrl),
      ])
      if (deadCounts === undefined) return { queue, ...counts }
      return { queue, ...counts, dead: deadCounts.waiting + deadCounts.held }
    })
  return { read: () => Promise.all(queues.map(readDepth)) }
}

/** Returns the approximate numbers of messages of a queue. Throws the errors of the client. */
export async function readQueueCounts(
  sqs: Pick<SQSClient, 'send'>,
  url: string | undefined,
): Promise<Pick<QueueDepth, 'waiting' | 'held'>> {
  const { visible, delayed, held } = await readMessageCounts(sqs, url)
  return { waiting: visible + delayed, held }
}

/** The approximate numbers of messages of a queue. */
export interface MessageCounts {
  /** Messages that a receiver would get now. */
  readonly visible: number
  /** Messages that no receiver gets before their time. */
  readonly delayed: number
  /** Messages that a receiver has and did not remove yet. */
  readonly held: number
}

/** Returns the numbers of messages of a queue by state. Throws the errors of the client. */
export async function readMessageCounts(
  sqs: Pick<SQSClient, 'send'>,
  url: string | undefined,
): Promise<MessageCounts> {
  const { Attributes: attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({
      QueueUrl: url,
      AttributeNames: [
        'ApproximateNumberOfMessages',
        'ApproximateNumberOfMessagesDelayed',
        'ApproximateNumberOfMessagesNotVisible',
      ],
    }),
  )
  return {
    visible: Number(attributes.ApproximateNumberOfMessages ?? 0),
    delayed: Number(attributes.ApproximateNumberOfMessagesDelayed ?? 0),
    held: Number(attributes.ApproximateNumberOfMessagesNotVisible ?? 0),
  }
}
