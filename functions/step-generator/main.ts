import { openFunctionResources } from '../aws/function-resources.ts'
import type { BatchResponse, CallContext } from '../aws/sqs-event.ts'
import { serveNudges } from './serve-nudges.ts'

const resources = openFunctionResources(process.env, 'generator')

/** The Lambda handler of the step generator, for nudges of SQS. */
export const handler = (event: unknown, context: CallContext): Promise<BatchResponse> =>
  serveNudges(resources, event, context)
