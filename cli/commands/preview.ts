import type { Handler } from '../arguments/attach-handler.ts'
import { runOperation } from '../operations/run-operation.ts'

/**
 * `preview`: shows what `up` would do. With --json it prints one document at the end, or, where
 * PULUMI_ENABLE_STREAMING_JSON_PREVIEW is true, the events as they come.
 */
export const preview: Handler = (session, flags) =>
  runOperation(session, flags, { command: 'up', previewOnly: true })
