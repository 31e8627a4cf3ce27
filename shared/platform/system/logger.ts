import type { LoggerPort } from '../../ports/system.ts'

/** The log levels in ascending order. */
const levels = ['debug', 'info', 'warn', 'error'] as const

/** The level of a log line. */
export type LogLevel = (typeof levels)[number]

/** The logger that drops every line, for commands without `-v`. */
export const silentLogger: LoggerPort = { write: () => {} }

/**
 * Creates a logger that writes lines of `level` and above as JSON, one per line, to stderr or
 * `write`.
 */
export function createLogger(options: {
  readonly level: LogLevel
  readonly write?: (line: string) => void
}): LoggerPort {
  const lowestLevelIndex = levels.indexOf(options.level)
  const write = options.write ?? (line => void process.stderr.write(line))
  return {
    write: (level, event, fields = {}) => {
      if (levels.indexOf(level) < lowestLevelIndex) return
      const time = new Date().toISOString()
      write(
        `${escapeLine(JSON.stringify({ time, level, event, ...fields }, replaceUnserializable))}\n`,
      )
    },
  }
}

/**
 * Escapes the characters that break lines, change direction or move the cursor in a terminal. JSON
 * does not escape them.
 */
function escapeLine(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** Replaces errors and big integers, which have no JSON form, by texts. */
function replaceUnserializable(_key: string, value: unknown): unknown {
  if (value instanceof Error) return value.message
  return typeof value === 'bigint' ? value.toString() : value
}
