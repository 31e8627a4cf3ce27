import { pluginLimits as limits } from '../../../config/plugin-limits.ts'

/** The levels of go-plugin's logger. */
export type ProviderLogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'

/** A line of a provider's log. */
export interface LogLine {
  readonly level: ProviderLogLevel
  /** The message with its structured fields. */
  readonly text: string
  /** Whether the provider's logger wrote the line. Other lines are free text. */
  readonly isFromLogger: boolean
}

const levels: readonly ProviderLogLevel[] = ['trace', 'debug', 'info', 'warn', 'error']
const levelPrefix = /^\[(TRACE|DEBUG|INFO|WARN|ERROR)\]\s*(.*)$/s

/** The fields that are not appended to the text. The text begins with `@module` and `@message`. */
const omittedFields = ['@level', '@message', '@module', '@timestamp', '@caller']

/** Parses a line of a provider: JSON of hclog, a text with a level, or any other text. */
export function parseLogLine(line: string): LogLine {
  const fields = parseFields(line)
  if (fields !== undefined) {
    const level = levels.find(candidate => candidate === fields['@level']) ?? 'debug'
    return { level, text: formatFields(fields), isFromLogger: true }
  }
  const [, name, text] = levelPrefix.exec(line) ?? []
  const level = levels.find(candidate => candidate === name?.toLowerCase())
  if (level === undefined || text === undefined)
    return { level: 'debug', text: line, isFromLogger: false }
  return { level, text, isFromLogger: true }
}

type Fields = Readonly<Record<string, unknown>>

function parseFields(line: string): Fields | undefined {
  if (!line.startsWith('{')) return undefined
  try {
    const fields = JSON.parse(line) as Fields
    return typeof fields['@message'] === 'string' ? fields : undefined
  } catch {
    return undefined
  }
}

function formatFields(fields: Fields): string {
  const module = fields['@module']
  const prefix = typeof module === 'string' && module !== '' ? `${module}: ` : ''
  const pairs = Object.entries(fields)
    .filter(([name]) => !omittedFields.includes(name))
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
  return `${prefix}${String(fields['@message'])}${pairs.join('')}`
}

/** The lines of a Go panic on stderr. */
export interface PanicLines {
  readonly add: (line: string, logLine: LogLine) => void
  /** Returns the lines from the panic on, or no lines if there was no panic. */
  readonly listLines: () => readonly string[]
}

/** Creates a buffer of the first lines from a panic on. It skips lines of the logger. */
export function createPanicLines(): PanicLines {
  const lines: string[] = []
  return {
    add(line, { isFromLogger }) {
      const isFirst = /^(panic|fatal error): /.test(line)
      if (isFromLogger || (lines.length === 0 && !isFirst)) return
      if (lines.length < limits.panicLinesMax) lines.push(line)
    },
    listLines: () => [...lines],
  }
}
