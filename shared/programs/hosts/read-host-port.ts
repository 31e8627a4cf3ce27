import { createError } from '../../errors/error.ts'
import type { ChildProcess } from '../../ports/system.ts'
import { forEachLine } from '../output-lines.ts'
import type { LineListener } from './start-program-process.ts'

/** Time limit for a host to print its port. */
const portTimeoutMs = 60_000

/**
 * Reads the port from a host's first output line. Later lines belong to the program, and go to
 * `onLine`. Throws PROGRAM_LANGUAGE_FAILED when the host ends early or is late.
 */
export function readHostPort(
  child: ChildProcess,
  name: string,
  onLine: LineListener,
): Promise<string> {
  const port = Promise.withResolvers<string>()
  let hasPort = false
  const errorLines: string[] = []
  void forEachLine(child.stdout, line => {
    if (hasPort) return onLine(line, 'stdout')
    hasPort = true
    port.resolve(line.trim())
  })
  void forEachLine(child.stderr, line => {
    if (hasPort) return onLine(line, 'stderr')
    errorLines.push(line)
  })
  const rejectPort = (reason: string): void =>
    port.reject(
      createError(
        'PROGRAM_LANGUAGE_FAILED',
        `${name} ${reason}: ${errorLines.slice(-5).join('\n')}`,
      ),
    )
  const timer = setTimeout(
    () => rejectPort(`did not print its port within ${portTimeoutMs / 1000} s`),
    portTimeoutMs,
  )
  void child.exit.then(() => rejectPort('ended before it printed its port'))
  return port.promise.finally(() => clearTimeout(timer))
}
