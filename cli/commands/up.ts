import type { Handler } from '../arguments/attach-handler.ts'
import { runOperation } from '../operations/run-operation.ts'

/** `up`: makes the resources of a stack what its program says. */
export const updateStack: Handler = async (session, flags) =>
  runOperation(session, flags, { command: 'up', previewOnly: false })
