import type { CliSession } from '../session/session.ts'
import { readCurrentBackend } from './current-backend.ts'

/**
 * Warns that a new schedule or notification of a stack in a self-managed backend has no effect. The
 * reason: `antichain serve` uses only the store of its machine.
 */
export function warnUnservedBackend(session: CliSession, noun: string): void {
  const { home, cwd, io } = session
  const backend = readCurrentBackend({ home, cwd, env: io.env })
  if (backend === undefined) return
  session.printToStderr(
    `warning: no process serves the backend ${backend.address}, so this ${noun} has no effect. Move the stack to a server with \`antichain stack migrate\`.`,
  )
}
