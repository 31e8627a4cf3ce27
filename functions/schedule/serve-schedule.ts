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
import { defaultGroup } from '../../shared/config/stack-groups.ts'
import type { LoggerPort } from '../../shared/ports/system.ts'
import { type GroupedPorts, portsOfGroup } from '../../shared/runtime/groups/port-groups.ts'
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
 * at EventBridge Scheduler. `placedAt` is the time of its registration there, in ms since 1970.
 */
const scheduleCallForm = z.object({
  kind: z.literal('schedule'),
  scope: z.string().transform(scope => scope as StackId),
  name: z.string(),
  placed: z.string(),
  placedAt: z.number(),
  /** The group of stacks. Absent: the default one. */
  group: z.string().default(defaultGroup),
})

/** The source of an SQS event: all messages of an event are from one queue. */
const eventSourceForm = z.object({
  Records: z.array(z.object({ eventSourceARN: z.string().optional() })),
})

/** The dependencies of serving a call of EventBridge Scheduler. */
export interface ScheduleCallServer extends ScheduleServer {
  readonly scheduler: Pick<SchedulerPort, 'remove'>
}

/** The dependencies of all calls, for one group of stacks. */
interface NotificationServer
  extends ScheduleCallServer,
    DeliverDeps,
    GroupedPorts<NotificationServer> {
  readonly logger: LoggerPort
  readonly clock: ScheduleCallServer['clock'] & DeliverDeps['clock']
  readonly notifications: NotificationEvents
  /** The name of the queue of the group's notifications. Required if there are other groups. */
  readonly notificationsQueue?: string
}

/**
 * Checks the schedule for which EventBridge Scheduler calls, or delivers the notifications of SQS
 * messages. Returns the messages to redeliver, or undefined for a call of a schedule. Throws if it
 * cannot check the schedule, so that Lambda repeats the call.
 */
export async function serveSchedule(
  allGroups: NotificationServer,
  event: unknown,
): Promise<BatchResponse | undefined> {
  const call = scheduleCallForm.safeParse(event)
  if (call.success) {
    await runCalledSchedule(portsOfGroup(allGroups, call.data.group), call.data)
    return undefined
  }
  const server = serverOfQueue(allGroups, event)
  const messages = readSqsMessages(event)
  const redeliverFlags = await Promise.all(
    messages.map(message => shouldRedeliver(server, message)),
  )
  return createBatchResponse(
    messages.filter((_, index) => redeliverFlags[index]).map(({ id }) => id),
  )
}

/**
 * Returns the server of the group whose queue an event comes from. So a message leads only to
 * documents and secrets of its own group.
 */
function serverOfQueue(server: NotificationServer, event: unknown): NotificationServer {
  const { otherGroups = [] } = server
  if (otherGroups.length === 0) return server
  const [record] = eventSourceForm.parse(event).Records
  const queue = record?.eventSourceARN?.split(':').at(-1)
  const servers = [server, ...otherGroups.map(({ ports }) => ports)]
  const queueServer = servers.find(({ notificationsQueue }) => notificationsQueue === queue)
  if (queueServer === undefined) throw new Error(`no group has the queue ${queue}`)
  return queueServer
}

async function runCalledSchedule(
  server: ScheduleCallServer,
  call: z.infer<typeof scheduleCallForm>,
): Promise<void> {
  const { clock, documents, scheduler, logger } = server
  const { placed, placedAt, group: _group, ...key } = call
  // EventBridge Scheduler calls once for each time, when its own clock reaches the time. The clock
  // of this function may be slightly behind, so a lead is added to it.
  const readLeadingClock = (): EpochMs =>
    (clock.now() + triggerLimits.schedulerClockLeadMs) as EpochMs
  await runDueSchedule(
    { ...server, clock: { now: readLeadingClock }, hasExternalJitter: true },
    key,
  )
  // The API registers calls with EventBridge Scheduler before it stores their schedule. If the API
  // crashed in between, the calls have no schedule. Recently registered calls stay, because the API
  // may still store their schedule.
  if (clock.now() - placedAt < triggerLimits.orphanedCallAgeMs) return
  const { data } = scheduleDocument.safeParse((await documents.get(key))?.value)
  if (data?.placed === placed) return
  await scheduler.remove(placed)
  logger.write('info', 'scheduler.stray', { schedule: key.name, stack: key.scope, placed })
}

/** Delivers a notification. Reports whether SQS must redeliver its message later. */
async function shouldRedeliver(server: NotificationServer, message: RawMessage): Promise<boolean> {
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
