import { openAws } from '../surroundings/aws.ts'
import type { BatchAnswer, CallContext } from '../surroundings/sqs-event.ts'
import { serveChains } from './serve-chains.ts'
import { createWarmth } from './warmth.ts'

const aws = openAws(process.env)
const warmth = createWarmth(aws.platform.clock)

/** The step executor as Lambda calls it: with chains of SQS. */
export const handler = (event: unknown, context: CallContext): Promise<BatchAnswer> =>
  serveChains(aws, warmth, { event, context })
