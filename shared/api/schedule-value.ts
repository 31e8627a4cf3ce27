import * as z from 'zod'
import { createError } from '../errors/error.ts'
import type { DocumentKey, StoredDocument } from '../ports/documents.ts'
import { parseDocumentValue } from '../triggers/parse-document-value.ts'
import {
  type Schedule,
  scheduleDocument,
  stackSelectionForm,
} from '../triggers/schedules/due-schedule.ts'
import { kindOfSchedule } from '../triggers/schedules/pulumi-schedule.ts'
import type { ApiPorts } from './define-route.ts'
import { placeSchedulerCalls } from './scheduler-calls.ts'

/** A schedule as a user creates or changes it. */
export const scheduleDraft = scheduleDocument.omit({
  createdAt: true,
  lastAt: true,
  recentRuns: true,
  placed: true,
  removalAt: true,
  stacks: true,
  skipReadWithinMs: true,
})

/** A shared schedule as a user creates or changes it. It detects drift, and may remove it. */
export const sharedScheduleDraft = scheduleDocument
  .omit({
    createdAt: true,
    lastAt: true,
    recentRuns: true,
    placed: true,
    removesStack: true,
    removalAt: true,
  })
  .extend({
    operation: z.strictObject({
      kind: z.literal('refresh'),
      remediate: z.boolean().default(false),
    }),
    stacks: stackSelectionForm.default({ projects: [], tags: {} }),
  })

/**
 * Places the scheduler's calls for a draft, and returns the schedule to store. Throws the errors of
 * `placeSchedulerCalls`, and DOCUMENT_INVALID for a previous schedule that cannot be read. Throws
 * SCHEDULE_INVALID if `removesStack` is set for anything but a destroy that runs once.
 */
export async function createScheduleValue(
  ports: Pick<ApiPorts, 'scheduler' | 'clock' | 'random'>,
  key: DocumentKey,
  draft: z.infer<typeof scheduleDraft> | z.infer<typeof sharedScheduleDraft>,
  storedPrevious: StoredDocument | undefined,
): Promise<Schedule> {
  const now = ports.clock.now()
  const previous =
    storedPrevious === undefined ? undefined : parseDocumentValue(scheduleDocument, storedPrevious)
  // A change counts as the last run, so that due times before the change are skipped.
  const lastRunField = previous === undefined ? {} : { lastAt: now }
  // A change keeps the earlier runs, whose results are still read.
  const { createdAt = now, recentRuns } = previous ?? {}
  const runsField = recentRuns === undefined ? {} : { recentRuns }
  const schedule: Schedule = { ...draft, createdAt, ...lastRunField, ...runsField }
  if (schedule.removesStack === true && kindOfSchedule(schedule) !== 'ttl')
    throw createError('SCHEDULE_INVALID', 'only a destroy that runs once can remove its stack', {
      hint: 'Set the operation `destroy` and a time such as at(2027-01-31T04:00:00).',
    })
  return placeSchedulerCalls(ports, key, schedule)
}
