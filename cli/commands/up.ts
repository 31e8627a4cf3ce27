import type { Handler } from '../attach.ts'
import { runOperation } from '../operation.ts'

/** `up`: makes the resources of a stack what its program says. */
export const up: Handler = async (session, flags) =>
  runOperation(session, flags, { command: 'up', previewOnly: false })
