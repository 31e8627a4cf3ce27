import { Duration } from 'aws-cdk-lib'
import { Queue, QueueEncryption, RedrivePermission } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import {
  deadLettersOf,
  deliveriesMaxOf,
  namesOf,
  queueNames,
  type QueueName,
} from '../../shared/config/aws-places.ts'
import { logicalName } from '../names.ts'
import { hiddenSeconds } from '../queue-times.ts'
import { part } from './part.ts'

/** A queue and that of its dead letters. */
export interface QueuePair {
  readonly queue: Queue
  readonly dead: Queue
}
export type Queues = Readonly<Record<QueueName, QueuePair>>

/** The longest that SQS keeps a message. */
const keptDays = 14

/**
 * Standard queues, each with one for dead letters from which messages can be moved back. Their
 * messages are names of operations and stacks, so that SQS' own encryption will do, which costs
 * no request to a key.
 */
export function createQueues(scope: Construct, installation: string): Queues {
  const group = part(scope, 'Queues')
  const names = namesOf(installation).queues
  const pair = (name: QueueName): QueuePair => {
    const all = { encryption: QueueEncryption.SQS_MANAGED, enforceSSL: true }
    const dead = new Queue(group, `${logicalName(name)}Dead`, {
      ...all,
      queueName: deadLettersOf(names[name]),
      retentionPeriod: Duration.days(keptDays),
      redriveAllowPolicy: { redrivePermission: RedrivePermission.ALLOW_ALL },
    })
    const queue = new Queue(group, logicalName(name), {
      ...all,
      queueName: names[name],
      visibilityTimeout: Duration.seconds(hiddenSeconds[name]),
      receiveMessageWaitTime: Duration.seconds(20),
      // Less than the dead letters: a message keeps its age when it becomes one.
      retentionPeriod: Duration.days(4),
      deadLetterQueue: { queue: dead, maxReceiveCount: deliveriesMaxOf(name) },
    })
    return { queue, dead }
  }
  const [chains, chainsLong, nudges, nudgesLong, notifications] = queueNames
  return {
    [chains]: pair(chains),
    [chainsLong]: pair(chainsLong),
    [nudges]: pair(nudges),
    [nudgesLong]: pair(nudgesLong),
    [notifications]: pair(notifications),
  }
}
