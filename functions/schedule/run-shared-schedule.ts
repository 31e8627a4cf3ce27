import { apiLimits } from '../../shared/config/api-limits.ts'
import { queryLimits } from '../../shared/config/query-limits.ts'
import type { StoredDocument } from '../../shared/ports/documents.ts'
import type { EpochMs, StackId } from '../../shared/records/ids.ts'
import { parseDocumentValue } from '../../shared/triggers/parse-document-value.ts'
import { type Schedule, scheduleDocument } from '../../shared/triggers/schedules/due-schedule.ts'
import {
  isCoveredBySharedSchedule,
  findDueRun,
  findDueWindow,
} from '../../shared/triggers/schedules/shared-schedule.ts'
import {
  createScheduleRequest,
  sharedScheduleRequestKeyOf,
} from '../../shared/triggers/trigger-requests.ts'
import type { ScheduleServer } from './schedule-server.ts'

/**
 * Checks a schedule of many stacks, and puts a request for each stack whose run is due. The key of
 * a request contains the planned time, so a repetition after a crash puts no second request. A
 * stack without a published state gets no request, and neither does one whose previous run still
 * waits. Returns the number of requests, or undefined when no stack can have a due run. Throws
 * DOCUMENT_INVALID, SCHEDULE_INVALID and the errors of the stores.
 */
export async function runSharedSchedule(
  server: ScheduleServer,
  stored: StoredDocument,
): Promise<number | undefined> {
  const { clock, documents, logger } = server
  const { name } = stored.key
  const schedule = parseDocumentValue(scheduleDocument, stored)
  const now = clock.now()
  if (schedule.isPaused) return undefined
  const window = findDueWindow({ schedule, name }, now)
  if (window === undefined) return undefined
  let count = 0
  let isAnyDue = false
  for (const stack of await listSelectedStacks(server, schedule)) {
    const plannedAt = findDueRun({ schedule, name }, stack, now)
    if (plannedAt === undefined) continue
    isAnyDue = true
    if (await requestRun(server, { schedule, name, stack, plannedAt })) count += 1
  }
  // At the end of the window `lastAt` is saved in any case, so that later checks list no stacks.
  if (!isAnyDue && !window.hasEnded) return 0
  const recentRuns = [...new Set([...(schedule.recentRuns ?? []), window.plannedAt])]
    .toSorted((a, b) => a - b)
    .slice(-queryLimits.recentRunsPerSchedule)
  // The put fails if the schedule was changed meanwhile. The next check then evaluates it again.
  await documents.put(stored.key, { ...schedule, lastAt: now, recentRuns }, stored.version)
  logger.write('info', 'schedule.shared', { schedule: name, due: window.plannedAt, count })
  return count
}

/** Returns the stacks that a schedule covers and that have a published state. */
async function listSelectedStacks(
  server: ScheduleServer,
  schedule: Schedule,
): Promise<readonly StackId[]> {
  const projects = schedule.stacks?.projects ?? []
  const listings = await Promise.all(
    (projects.length === 0 ? [undefined] : projects).map(project =>
      server.catalog.listStacks(project),
    ),
  )
  const selectedStacks: StackId[] = []
  for (const { id, version } of listings.flatMap(({ stacks }) => stacks))
    if (version > 0 && (await isCoveredBySharedSchedule(server, schedule, id)))
      selectedStacks.push(id)
  return selectedStacks
}

/** Puts the request of a run. Returns false if the previous run of the stack has not ended. */
async function requestRun(
  { requests, nudges, clock, execute, logger }: ScheduleServer,
  run: {
    readonly schedule: Schedule
    readonly name: string
    readonly stack: StackId
    readonly plannedAt: EpochMs
  },
): Promise<boolean> {
  const { schedule, name, stack, plannedAt: due } = run
  const waitingRequests = await requests.listWaiting(stack, apiLimits.waitingRequestsMax)
  const previousKeys = (schedule.recentRuns ?? [])
    .filter(time => time !== due)
    .map(time => sharedScheduleRequestKeyOf(name, time))
  if (waitingRequests.some(({ key }) => previousKeys.includes(key))) {
    logger.write('info', 'schedule.waiting', { schedule: name, stack, due })
    return false
  }
  const context = { requestedAt: clock.now(), execute }
  await requests.put(createScheduleRequest({ schedule, name, stack, due, isShared: true }, context))
  await nudges.nudge(stack, 0)
  return true
}
