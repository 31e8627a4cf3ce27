import { openScheduleTriggers } from '../aws/open-triggers.ts'
import type { BatchAnswer } from '../aws/sqs-event.ts'
import { serveSchedule } from './serve-schedule.ts'

const server = openScheduleTriggers(process.env)

/** What happens by itself, as Lambda calls it: by a schedule, or with messages of SQS. */
export const handler = (event: unknown): Promise<BatchAnswer | undefined> =>
  serveSchedule(server, event)
