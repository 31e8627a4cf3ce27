import { openFunctionResources } from '../aws/function-resources.ts'
import type { BatchAnswer, CallContext } from '../aws/sqs-event.ts'
import { serveNudges } from './serve-nudges.ts'

const resources = openFunctionResources(process.env)

/** The Lambda handler of the step generator, for nudges of SQS. */
export const handler = (event: unknown, context: CallContext): Promise<BatchAnswer> =>
  serveNudges(resources, event, context)
