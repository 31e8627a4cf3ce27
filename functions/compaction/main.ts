import { observeCall } from '../aws/observe-call.ts'
import { openFunctionResources } from '../aws/function-resources.ts'
import { serveCompaction } from './serve-compaction.ts'

const resources = openFunctionResources(process.env, 'compaction')

/**
 * The Lambda handler of compaction. A generator that closes a deployment calls it, and so does a
 * schedule every hour.
 */
export const handler = (event: unknown): Promise<Readonly<Record<string, unknown>>> =>
  observeCall(resources.platform.telemetry, () => serveCompaction(resources, event, process.env))
