import { observeCall } from '../aws/observe-call.ts'
import { openScheduleTriggers } from '../aws/open-triggers.ts'
import type { BatchResponse } from '../aws/sqs-event.ts'
import { serveSchedule } from './serve-schedule.ts'

const server = openScheduleTriggers(process.env)

/** The Lambda handler of the schedule function, for calls of schedules and messages of SQS. */
export const handler = (event: unknown): Promise<BatchResponse | undefined> =>
  observeCall(server.telemetry, () => serveSchedule(server, event))
