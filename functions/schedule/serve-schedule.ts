import { z } from 'zod'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import { messageOf } from '../../shared/errors/error.ts'
import type { NotificationsPort, OutgoingDelivery } from '../../shared/ports/notifications.ts'
import type { SchedulerPort } from '../../shared/ports/scheduler.ts'
import type { RawMessage } from '../../shared/platform/aws/queues/receive-messages.ts'
import type { EpochMs, StackId } from '../../shared/records/ids.ts'
import {
  type DeliverDeps,
  deliverMessage,
} from '../../shared/triggers/notifications/deliver-message.ts'
import { scheduleDocument } from '../../shared/triggers/schedules/schedule.ts'
import { type BatchAnswer, createBatchAnswer, readSqsMessages } from '../aws/sqs-event.ts'
import { runDueSchedule, type ScheduleServer } from './run-due-schedule.ts'

/** What the function needs of its queue: SQS itself removes what was handled. */
export interface NotificationEvents {
  readonly fromEvent: (message: RawMessage) => OutgoingDelivery | undefined
  readonly postpone: NotificationsPort['postpone']
}

/** What EventBridge Scheduler sends for a schedule; `placed` names the calls that it belongs to. */
const scheduleCall = z.object({
  kind: z.literal('schedule'),
  scope: z.string().transform(scope => scope as StackId),
  name: z.string(),
  placed: z.string(),
  placedAt: z.number(),
})

/** What a call is served with. */
export interface ScheduleCallServer extends ScheduleServer {
  readonly scheduler: Pick<SchedulerPort, 'remove'>
}

/**
 * Serves a call of EventBridge Scheduler, or the messages that SQS hands over. Throws for a
 * schedule that could not be looked at: Scheduler calls again.
 */
export async function serveSchedule(
  server: ScheduleCallServer &
    Omit<DeliverDeps, 'clock'> & { readonly notifications: NotificationEvents },
  event: unknown,
): Promise<BatchAnswer | undefined> {
  const call = scheduleCall.safeParse(event)
  if (call.success) {
    await answerCall(server, call.data)
    return undefined
  }
  const messages = readSqsMessages(event)
  const again = await Promise.all(messages.map(message => shouldRedeliver(server, message)))
  return createBatchAnswer(messages.filter((_, at) => again[at]).map(({ id }) => id))
}

async function answerCall(
  server: ScheduleCallServer,
  call: z.infer<typeof scheduleCall>,
): Promise<void> {
  const { clock, documents, scheduler, logger } = server
  const { placed, placedAt, ...key } = call
  // Its clock says that it is time; ours may be a little behind, and nobody calls a second time.
  const now = (): EpochMs => (clock.now() + triggerLimits.schedulerAheadMs) as EpochMs
  await runDueSchedule({ ...server, clock: { now }, isSpreadElsewhere: true }, key)
  // Who placed calls and died leaves them; of new ones the document may be about to be written.
  if (clock.now() - placedAt < triggerLimits.strayCallsMs) return
  const { data } = scheduleDocument.safeParse((await documents.get(key))?.value)
  if (data?.placed === placed) return
  await scheduler.remove(placed)
  logger.write('info', 'scheduler.stray', { schedule: key.name, stack: key.scope, placed })
}

/** Whether a message is to come again, when its time has come. */
async function shouldRedeliver(
  server: Parameters<typeof serveSchedule>[0],
  message: RawMessage,
): Promise<boolean> {
  const { notifications, logger } = server
  try {
    const delivery = notifications.fromEvent(message)
    if (delivery === undefined) return false
    const { postpone } = notifications
    const queue = { remove: async () => undefined, postpone }
    return (await deliverMessage({ ...server, notifications: queue }, delivery)) !== 'delivered'
  } catch (thrown) {
    logger.write('error', 'notification.failed', { message: messageOf(thrown) })
    return true
  }
}
