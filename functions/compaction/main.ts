import { observeCall } from '../aws/observe-call.ts'
import { openFunctionResources } from '../aws/function-resources.ts'
import { createSqsClient, readAwsSettings } from '../../shared/platform/aws/clients.ts'
import { createDeadLetterCounter } from '../../shared/platform/aws/queues/dead-letter-count.ts'
import { serveCompaction } from './serve-compaction.ts'

const functionResources = openFunctionResources(process.env, 'compaction')
const sqs = createSqsClient(readAwsSettings(process.env))
const resources = {
  ...functionResources,
  countDeadLetters: createDeadLetterCounter(sqs, functionResources.awsResources),
}

/**
 * The Lambda handler of compaction. A generator that closes a deployment calls it, and so does a
 * schedule every hour.
 */
export const handler = (event: unknown): Promise<Readonly<Record<string, unknown>>> =>
  observeCall(resources.platform.telemetry, () => serveCompaction(resources, event, process.env))
