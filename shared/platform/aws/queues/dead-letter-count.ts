import type { SQSClient } from '@aws-sdk/client-sqs'
import {
  deadLetterQueueOf,
  type QueueName,
  queueNames,
} from '../../../config/aws-resource-names.ts'
import type { AwsResources } from '../aws-resources.ts'
import { withAwsErrors } from '../aws-error.ts'
import { readQueueCounts } from './queue-depths.ts'

/** Returns the number of dead letters of each queue that has some. */
export type CountDeadLetters = () => Promise<Readonly<Partial<Record<QueueName, number>>>>

/** The variables with the URLs of the queues. */
const urlVariables = {
  chains: 'chainsQueue',
  'chains-long': 'chainsLongQueue',
  nudges: 'nudgesQueue',
  'nudges-long': 'nudgesLongQueue',
  notifications: 'notificationsQueue',
} as const satisfies Record<QueueName, string>

/**
 * Creates the function that counts the dead letters of all queues, with one request for each queue.
 * The numbers of SQS are approximate. Throws the errors of `createAwsError`, and
 * AWS_SETTINGS_INVALID with the name of a missing variable.
 */
export function createDeadLetterCounter(
  sqs: Pick<SQSClient, 'send'>,
  resources: Pick<AwsResources, 'get'>,
): CountDeadLetters {
  const count = async (queue: QueueName): Promise<readonly [QueueName, number]> => {
    const url = deadLetterQueueOf(resources.get(urlVariables[queue]))
    const { waiting, held } = await withAwsErrors(`queue ${queue}: count dead letters`, () =>
      readQueueCounts(sqs, url),
    )
    return [queue, waiting + held]
  }
  return async () => {
    const counts = await Promise.all(queueNames.map(count))
    return Object.fromEntries(counts.filter(([, letters]) => letters > 0))
  }
}
