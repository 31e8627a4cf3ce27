import { Duration } from 'aws-cdk-lib'
import { Queue, QueueEncryption, RedrivePermission } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import {
  deadLetterQueueOf,
  installationNamesOf,
  queueNames,
  type QueueName,
} from '../../shared/config/aws-resource-names.ts'
import { deliveriesLimitOf } from '../../shared/config/queue-limits.ts'
import { logicalNameOf } from '../names.ts'
import { defaultVisibilitySeconds } from '../visibility-timeouts.ts'
import { createTaggedScope } from './create-tagged-scope.ts'

/** A queue and its dead-letter queue. */
export interface QueuePair {
  readonly queue: Queue
  readonly deadLetterQueue: Queue
}
/** The queues of an installation by name. */
export type Queues = Readonly<Record<QueueName, QueuePair>>

/** Retention time of dead letters, in days: the maximum of SQS. */
const deadLetterDays = 14

/**
 * Creates standard queues, each with a dead-letter queue from which messages can be moved back.
 * Messages contain no secrets. SQS's own encryption therefore suffices, and needs no requests to
 * KMS.
 */
export function createQueues(scope: Construct, installation: string): Queues {
  const part = createTaggedScope(scope, 'Queues')
  const names = installationNamesOf(installation).queues
  const createPair = (name: QueueName): QueuePair => {
    const commonProps = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true }
    const deadLetterQueue = new Queue(part, `${logicalNameOf(name)}Dead`, {
      ...commonProps,
      queueName: deadLetterQueueOf(names[name]),
      retentionPeriod: Duration.days(deadLetterDays),
      redriveAllowPolicy: { redrivePermission: RedrivePermission.ALLOW_ALL },
    })
    const queue = new Queue(part, logicalNameOf(name), {
      ...commonProps,
      queueName: names[name],
      visibilityTimeout: Duration.seconds(defaultVisibilitySeconds[name]),
      receiveMessageWaitTime: Duration.seconds(20),
      // This time is shorter than for dead letters, because a message keeps its age when it becomes
      // a dead letter.
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: deadLetterQueue, maxReceiveCount: deliveriesLimitOf(name) },
    })
    return { queue, deadLetterQueue }
  }
  const [chains, chainsLong, nudges, nudgesLong, notifications] = queueNames
  return {
    [chains]: createPair(chains),
    [chainsLong]: createPair(chainsLong),
    [nudges]: createPair(nudges),
    [nudgesLong]: createPair(nudgesLong),
    [notifications]: createPair(notifications),
  }
}
