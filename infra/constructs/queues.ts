import { Duration } from 'aws-cdk-lib'
import { Queue, QueueEncryption, RedrivePermission } from 'aws-cdk-lib/aws-sqs'
import type { Construct } from 'constructs'
import {
  deadLettersOf,
  namesOf,
  queueNames,
  type QueueName,
} from '../../shared/config/aws-places.ts'
import { limits } from '../../shared/config/limits.ts'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import { logicalName } from '../names.ts'
import { part } from './part.ts'

/** A queue and that of its dead letters. */
export interface QueuePair {
  readonly queue: Queue
  readonly dead: Queue
}
export type Queues = Readonly<Record<QueueName, QueuePair>>

/**
 * How long a message is hidden that a function has: Lambda refuses an event source whose queue
 * hides less than the function may run. Handlers shorten it once they have the message.
 */
const hiddenSeconds: Readonly<Record<QueueName, number>> = {
  chains: 960,
  nudges: 960,
  notifications: triggerLimits.notificationLoanMs / 1_000,
  // Tasks renew what they hold: a lease is enough.
  'chains-long': limits.visibilityMs / 1_000,
  'nudges-long': limits.visibilityMs / 1_000,
}
/** Where messages come again because somebody outside could not be reached. */
const deliveriesMax: Partial<Readonly<Record<QueueName, number>>> = {
  notifications: triggerLimits.notificationAttemptsMax,
}
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
      deadLetterQueue: {
        queue: dead,
        maxReceiveCount: deliveriesMax[name] ?? limits.deliveriesMax,
      },
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
