import { createHash } from 'node:crypto'
import { triggerLimits } from '../../shared/config/trigger-limits.ts'
import { error, messageOf } from '../../shared/errors/error.ts'
import {
  type DocumentKey,
  type DocumentsPort,
  sealingContextOf,
} from '../../shared/ports/documents.ts'
import type { LoggerPort } from '../../shared/ports/system.ts'
import type { SchedulerPort } from '../../shared/ports/scheduler.ts'
import type { StackId } from '../../shared/records/ids.ts'
import { toPrintable } from '../../shared/triggers/printable.ts'
import {
  nextRunOf,
  type Schedule,
  scheduleDocument,
} from '../../shared/triggers/schedules/schedule.ts'
import { schedulerExpressionOf } from '../../shared/triggers/schedules/scheduler-expression.ts'
import type { ApiPorts } from './define-route.ts'

/** What calls are removed with. */
export interface CallRemovalPorts {
  readonly scheduler?: Pick<SchedulerPort, 'remove'>
  readonly logger: LoggerPort
}

/**
 * Places calls for a schedule that is to be stored, under a new name, and answers the schedule with
 * that name. They stand before the document that names them: who dies between the two leaves calls
 * that ask for nothing, and never a schedule without calls. Nothing is placed for one that is
 * paused, or where there is no scheduler. Throws SCHEDULE_INVALID, also for one that would never
 * run.
 */
export async function placeSchedulerCalls(
  { scheduler, clock, random }: Pick<ApiPorts, 'scheduler' | 'clock' | 'random'>,
  key: DocumentKey,
  schedule: Schedule,
): Promise<Schedule> {
  const now = clock.now()
  const next = nextRunOf(key, schedule, now)
  // One that is due is paused like any other: it would run yet.
  if (next === undefined && !schedule.isPaused) throw neverRunsError(schedule)
  if (scheduler === undefined) return schedule
  const times = schedulerExpressionOf(schedule, now)
  if (schedule.isPaused) return schedule
  const of = createHash('sha256').update(sealingContextOf(key)).digest('hex').slice(0, 20)
  const name = `schedule-${of}-${random.uuid().replaceAll('-', '')}`
  await scheduler.place({ name, key, times, placedAt: now })
  return { ...schedule, placed: name }
}

function neverRunsError({ when, zone }: Schedule): Error {
  return error(
    'SCHEDULE_INVALID',
    `the schedule would never run: '${toPrintable(when)}' in the time zone ${zone} has gone by`,
    { hint: 'Give a time that is to come, in the time zone of the schedule.' },
  )
}

/** Takes away the calls of a schedule that stands no more. Not throwing: calls left are strays. */
export async function removeSchedulerCalls(
  { scheduler, logger }: CallRemovalPorts,
  value: unknown,
): Promise<void> {
  const { data } = scheduleDocument.safeParse(value)
  if (scheduler === undefined || data?.placed === undefined) return
  const { placed } = data
  try {
    await scheduler.remove(placed)
  } catch (thrown) {
    logger.write('warn', 'scheduler.left', { placed, message: messageOf(thrown) })
  }
}

/**
 * Removes what a stack that is gone leaves of schedules and notifications. One of its name that is
 * made later begins without them.
 */
export async function removeStackDocuments(
  ports: CallRemovalPorts & { readonly documents: Pick<DocumentsPort, 'list' | 'remove'> },
  stack: StackId,
): Promise<void> {
  for (const kind of ['schedule', 'notification'] as const)
    for (let cursor: string | undefined = '', page = 0; cursor !== undefined; page += 1) {
      const read: Awaited<ReturnType<DocumentsPort['list']>> = await ports.documents.list(
        kind,
        cursor,
        stack,
      )
      for (const { key, version, value } of read.documents)
        if (await ports.documents.remove(key, version)) await removeSchedulerCalls(ports, value)
      cursor = page < triggerLimits.pagesMax ? read.next : undefined
    }
}
