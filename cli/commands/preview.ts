import type { Handler } from '../arguments/handler.ts'
import { runOperation } from '../operations/run-operation.ts'

/**
 * `preview`: shows the changes of the next `up`. With --json it prints one JSON digest at the end.
 * If PULUMI_ENABLE_STREAMING_JSON_PREVIEW is true, it prints each event instead.
 */
export const preview: Handler = (session, flags) =>
  runOperation(session, flags, { command: 'up', previewOnly: true })
