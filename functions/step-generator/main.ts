import { openAws } from '../surroundings/aws.ts'
import type { BatchAnswer, CallContext } from '../surroundings/sqs-event.ts'
import { serveNudges } from './serve-nudges.ts'

const aws = openAws(process.env)

/** The step generator as Lambda calls it: with nudges of SQS. */
export const handler = (event: unknown, context: CallContext): Promise<BatchAnswer> =>
  serveNudges(aws, event, context)
