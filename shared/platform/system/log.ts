import type { LogPort } from '../../ports/system.ts'

/** The levels, least important first. */
const levels = ['debug', 'info', 'warn', 'error'] as const

/** How important a log line is. */
export type LogLevel = (typeof levels)[number]

/** Swallows every line: what a command without -v uses. */
export const silentLog: LogPort = { write: () => {} }

/** Writes lines of `level` and above as JSON, one a line, to stderr or `write`. */
export function createLog(options: {
  readonly level: LogLevel
  readonly write?: (line: string) => void
}): LogPort {
  const lowest = levels.indexOf(options.level)
  const write = options.write ?? (line => void process.stderr.write(line))
  return {
    write: (level, event, fields = {}) => {
      if (levels.indexOf(level) < lowest) return
      const time = new Date().toISOString()
      write(`${JSON.stringify({ time, level, event, ...fields }, plain)}\n`)
    },
  }
}

/** Errors and big numbers have no JSON form of their own. */
function plain(_key: string, value: unknown): unknown {
  if (value instanceof Error) return value.message
  return typeof value === 'bigint' ? value.toString() : value
}
