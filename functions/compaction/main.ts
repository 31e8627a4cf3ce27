import { openFunctionResources } from '../aws/function-resources.ts'
import { serveCompaction } from './serve-compaction.ts'

const resources = openFunctionResources(process.env)

/** Compaction, as a generator calls it that closes a deployment, and every hour its schedule. */
export const handler = (event: unknown): Promise<Readonly<Record<string, unknown>>> =>
  serveCompaction(resources, event, process.env)
