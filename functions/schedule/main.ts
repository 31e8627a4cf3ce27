import { openCalls } from '../surroundings/aws-triggers.ts'
import type { BatchAnswer } from '../surroundings/sqs-event.ts'
import { serveSchedule } from './serve-schedule.ts'

const aws = openCalls(process.env)

/** What happens by itself, as Lambda calls it: by a schedule, or with messages of SQS. */
export const handler = (event: unknown): Promise<BatchAnswer | undefined> =>
  serveSchedule(aws, event)
