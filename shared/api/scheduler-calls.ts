import { createHash } from 'node:crypto'
import { createError } from '../errors/error.ts'
import { type DocumentKey, sealingContextOf } from '../ports/documents.ts'
import type { StackId } from '../records/ids.ts'
import { toPrintable } from '../triggers/printable.ts'
import { nextRunOf, type Schedule, scheduleDocument } from '../triggers/schedules/due-schedule.ts'
import { schedulerExpressionOf } from '../triggers/schedules/scheduler-expression.ts'
import type { ApiPorts } from './define-route.ts'
import { readDocumentsOf } from '../triggers/read-documents.ts'

/**
 * Registers the calls of a new version of a schedule with the external scheduler, under a new name
 * of the calls. At the times of the schedule, the scheduler then calls the schedule function.
 * Returns the schedule with that name in the field `placed`. Calls are placed before their document
 * is stored. A crash in between leaves calls without effect, but never a schedule without calls. No
 * calls are placed for a paused schedule, or without a scheduler. Throws SCHEDULE_INVALID for an
 * invalid schedule, and for a schedule that would never run and is not paused.
 */
export async function placeSchedulerCalls(
  { scheduler, clock, random }: Pick<ApiPorts, 'scheduler' | 'clock' | 'random'>,
  key: DocumentKey,
  schedule: Schedule,
): Promise<Schedule> {
  const now = clock.now()
  const nextRun = nextRunOf(key, schedule, now)
  // A paused schedule needs no next run. So the user can pause a one-time schedule that is due but
  // has not run yet.
  if (nextRun === undefined && !schedule.isPaused) throw createNeverRunsError(schedule)
  if (scheduler === undefined) return schedule
  // The conversion also refuses a paused schedule that EventBridge Scheduler does not support.
  const times = schedulerExpressionOf(schedule, now)
  if (schedule.isPaused) return schedule
  // The digest is cut, because the name of calls has at most 64 characters.
  const keyDigest = createHash('sha256').update(sealingContextOf(key)).digest('hex').slice(0, 20)
  const name = `schedule-${keyDigest}-${random.uuid().replaceAll('-', '')}`
  await scheduler.place({ name, key, times, placedAt: now })
  return { ...schedule, placed: name }
}

function createNeverRunsError({ when, zone }: Schedule): Error {
  return createError(
    'SCHEDULE_INVALID',
    `the schedule would never run: '${toPrintable(when)}' in the time zone ${zone} is in the past`,
    { hint: 'Use a future time in the time zone of the schedule.' },
  )
}

/**
 * Places the calls of a stack's schedules for its new id, before the stack is renamed. Returns the
 * names of the new calls by schedule. The schedule function removes the calls of the old id when
 * they arrive, and also the new calls if the rename does not happen.
 */
export async function placeCallsForRename(
  ports: Pick<ApiPorts, 'scheduler' | 'clock' | 'random' | 'documents'>,
  from: StackId,
  to: StackId,
): Promise<Readonly<Record<string, string>>> {
  if (ports.scheduler === undefined) return {}
  const placements = new Map<string, string>()
  for await (const { key, value } of readDocumentsOf(ports.documents, 'schedule', from)) {
    const schedule = scheduleDocument.parse(value)
    // A paused schedule has no calls, and neither has a schedule whose only run is over.
    if (schedule.placed === undefined || schedule.isPaused) continue
    if (nextRunOf(key, schedule, ports.clock.now()) === undefined) continue
    const { placed } = await placeSchedulerCalls(ports, { ...key, scope: to }, schedule)
    if (placed !== undefined) placements.set(key.name, placed)
  }
  return Object.fromEntries(placements)
}
