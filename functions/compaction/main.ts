import { openAws } from '../surroundings/aws.ts'
import { serveCompaction } from './serve-compaction.ts'

const aws = openAws(process.env)

/** Compaction, as a generator calls it that closes a deployment, and every hour its schedule. */
export const handler = (event: unknown): Promise<Readonly<Record<string, unknown>>> =>
  serveCompaction(aws, event, process.env)
