import { Duration } from 'aws-cdk-lib'
import { Queue, QueueEncryption, RedrivePermission } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import {
  deadLetterQueueOf,
  deliveriesLimitOf,
  installationNamesOf,
  queueNames,
  type QueueName,
} from '../../shared/config/aws-resource-names.ts'
import { logicalNameOf } from '../names.ts'
import { hiddenSeconds } from '../queue-times.ts'
import { createPart } from './create-part.ts'

/** A queue and its dead-letter queue. */
export interface QueuePair {
  readonly queue: Queue
  readonly dead: Queue
}
export type Queues = Readonly<Record<QueueName, QueuePair>>

/** Maximum retention time of SQS, in days. */
const keptDays = 14

/**
 * Creates standard queues, each with a dead-letter queue from which messages can be moved back.
 * Messages contain names of operations and stacks only. SQS's own encryption therefore suffices,
 * and it makes no key requests.
 */
export function createQueues(scope: Construct, installation: string): Queues {
  const group = createPart(scope, 'Queues')
  const names = installationNamesOf(installation).queues
  const createPair = (name: QueueName): QueuePair => {
    const all = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true }
    const dead = new Queue(group, `${logicalNameOf(name)}Dead`, {
      ...all,
      queueName: deadLetterQueueOf(names[name]),
      retentionPeriod: Duration.days(keptDays),
      redriveAllowPolicy: { redrivePermission: RedrivePermission.ALLOW_ALL },
    })
    const queue = new Queue(group, logicalNameOf(name), {
      ...all,
      queueName: names[name],
      visibilityTimeout: Duration.seconds(hiddenSeconds[name]),
      receiveMessageWaitTime: Duration.seconds(20),
      // Shorter than for dead letters, because a message keeps its age when it becomes one.
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: dead, maxReceiveCount: deliveriesLimitOf(name) },
    })
    return { queue, dead }
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
