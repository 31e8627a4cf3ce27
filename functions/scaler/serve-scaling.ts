/**
 * scaler: sets the number of tasks of the long pool after sends and idle times. It reads only the
 * depths of queues and the counts of tasks. One machine has no long pool, so it calls no scaler.
 */
import { type LongQueueName, longQueueNames } from '../../shared/config/aws-resource-names.ts'
import { scalerCallForm } from '../../shared/platform/aws/call-scaler.ts'
import type { LongPoolServices } from '../../shared/platform/aws/long-pool-services.ts'
import type { MessageCounts } from '../../shared/platform/aws/queues/queue-depths.ts'
import type { LoggerPort } from '../../shared/ports/system.ts'
import { decideTaskCount } from './decide-task-count.ts'

/** The dependencies of the scaler. */
export interface ScalerDeps {
  readonly services: LongPoolServices
  /** Counts the messages of a queue. The numbers of SQS are approximate. */
  readonly countMessages: (queue: LongQueueName) => Promise<MessageCounts>
  readonly tasksMax: number
  readonly logger: LoggerPort
}

/**
 * Sets the number of tasks of the long pool, for one call. Returns the number by queue. Throws the
 * errors of `services` and `countMessages`, after which Lambda repeats the call.
 *
 * Calls may run at the same time and overwrite each other. A message still waits at most until the
 * scheduled `check`, which comes every hour within a window of 15 minutes:
 *
 * - A sender calls after its send. So a call that lowers the number sees the message, or the call
 *   of its sender comes later and raises the number again.
 * - The call of a sender may have read the number before another call lowered it to 0. Then ECS
 *   stops the tasks. A task calls with `check` after its last receive, and so finds the message.
 * - If a raise overwrites a higher one, at least one task remains. A busy task calls with `check`.
 */
export async function serveScaling(
  { services, countMessages, tasksMax, logger }: ScalerDeps,
  event: unknown,
): Promise<Readonly<Partial<Record<LongQueueName, number>>>> {
  const call = scalerCallForm.parse(event)
  const scale = async (queue: LongQueueName): Promise<readonly [LongQueueName, number]> => {
    const [counts, tasks] = await Promise.all([countMessages(queue), services.readTasks(queue)])
    const count = decideTaskCount(call, { ...counts, ...tasks }, tasksMax)
    if (count !== tasks.desired) {
      await services.setTasks(queue, count)
      logger.write('info', 'tasks.scaled', { queue, kind: call.kind, from: tasks.desired, count })
    }
    return [queue, count]
  }
  const queues = call.kind === 'check' ? longQueueNames : [call.queue]
  return Object.fromEntries(await Promise.all(queues.map(scale)))
}
