import type { CliSession } from '../session/session.ts'
import { readCurrentBackend } from './current-backend.ts'

/**
 * Warns that a new webhook, schedule or notification has no effect on a stack in a self-managed
 * backend. `antichain serve` uses only the store of its machine.
 */
export function warnUnservedBackend(session: CliSession, noun: string): void {
  const { home, cwd, io } = session
  const backend = readCurrentBackend({ home, cwd, env: io.env })
  if (backend === undefined) return
  session.printToStderr(
    `warning: no process serves the backend ${backend.address}, so this ${noun} has no effect. Copy the stack to a server's store: \`antichain stack migrate <address> <stack>\`.`,
  )
}
