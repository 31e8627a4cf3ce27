import type { Handler } from '../arguments/handler.ts'
import { runOperation } from '../operations/run-operation.ts'

/** `refresh`: updates the state of a stack to match its actual resources. */
export const refresh: Handler = async (session, flags) =>
  runOperation(session, flags, { command: 'refresh', previewOnly: flags.isSet('previewOnly') })
