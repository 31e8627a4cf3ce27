import type { Handler } from '../arguments/attach-handler.ts'
import { runOperation } from '../operations/run-operation.ts'

/** `refresh`: reads the resources of a stack and records what changed outside. */
export const refresh: Handler = async (session, flags) =>
  runOperation(session, flags, { command: 'refresh', previewOnly: flags.is('previewOnly') })
