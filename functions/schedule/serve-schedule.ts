import * as z from 'zod'
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
import { scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'
import { type BatchResponse, createBatchResponse, readSqsMessages } from '../aws/sqs-event.ts'
import { runDueSchedule } from './run-due-schedule.ts'
import type { ScheduleServer } from './schedule-server.ts'

/** The used methods of the notification queue. Lambda itself removes delivered messages. */
export interface NotificationEvents {
  readonly fromEvent: (message: RawMessage) => OutgoingDelivery | undefined
  readonly postpone: NotificationsPort['postpone']
}

/**
 * The event that EventBridge Scheduler sends for a schedule. `placed` is the name of the schedule
 * at EventBridge Scheduler.
 */
const scheduleCallForm = z.object({
  kind: z.literal('schedule'),
  scope: z.string().transform(scope => scope as StackId),
  name: z.string(),
  placed: z.string(),
  placedAt: z.number(),
})

/** The dependencies of serving a call of EventBridge Scheduler. */
export interface ScheduleCallServer extends ScheduleServer {
  readonly scheduler: Pick<SchedulerPort, 'remove'>
}

/**
 * Checks the schedule for which EventBridge Scheduler calls, or delivers the notifications of SQS
 * messages. Returns the messages to redeliver, or undefined for a call of a schedule. Throws if it
 * cannot check the schedule, so that Lambda repeats the call.
 */
export async function serveSchedule(
  server: ScheduleCallServer & DeliverDeps & { readonly notifications: NotificationEvents },
  event: unknown,
): Promise<BatchResponse | undefined> {
  const call = scheduleCallForm.safeParse(event)
  if (call.success) {
    await runCalledSchedule(server, call.data)
    return undefined
  }
  const messages = readSqsMessages(event)
  const redeliverFlags = await Promise.all(
    messages.map(message => shouldRedeliver(server, message)),
  )
  return createBatchResponse(
    messages.filter((_, index) => redeliverFlags[index]).map(({ id }) => id),
  )
}

async function runCalledSchedule(
  server: ScheduleCallServer,
  call: z.infer<typeof scheduleCallForm>,
): Promise<void> {
  const { clock, documents, scheduler, logger } = server
  const { placed, placedAt, ...key } = call
  // EventBridge Scheduler calls once for each time, when its own clock reaches the time. The clock
  // of this function may be slightly behind.
  const readLeadingClock = (): EpochMs =>
    (clock.now() + triggerLimits.schedulerClockLeadMs) as EpochMs
  await runDueSchedule(
    { ...server, clock: { now: readLeadingClock }, hasExternalJitter: true },
    key,
  )
  // The API places calls before it stores their schedule. If the API crashed in between, the calls
  // have no schedule. Recently placed calls stay, because the API may still store their schedule.
  if (clock.now() - placedAt < triggerLimits.orphanedCallAgeMs) return
  const { data } = scheduleDocument.safeParse((await documents.get(key))?.value)
  if (data?.placed === placed) return
  await scheduler.remove(placed)
  logger.write('info', 'scheduler.stray', { schedule: key.name, stack: key.scope, placed })
}

/** Delivers a notification. Reports whether SQS must redeliver its message later. */
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
