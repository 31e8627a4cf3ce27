import { openFunctionResources } from '../aws/function-resources.ts'
import type { BatchResponse, CallContext } from '../aws/sqs-event.ts'
import { serveChains } from './serve-chains.ts'
import { createWarmCache } from './warm-cache.ts'

const resources = openFunctionResources(process.env, 'executor')
const warmCache = createWarmCache(resources.platform.clock)

/** The Lambda handler of the step executor, for chains of SQS. */
export const handler = (event: unknown, context: CallContext): Promise<BatchResponse> =>
  serveChains(resources, warmCache, { event, context })
