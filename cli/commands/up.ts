import type { Handler } from '../arguments/handler.ts'
import { runOperation } from '../operations/run-operation.ts'

/** `up`: creates or updates the resources of a stack. */
export const updateStack: Handler = async (session, flags) =>
  runOperation(session, flags, { command: 'up', previewOnly: false })
