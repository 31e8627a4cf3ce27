import { pluginLimits as limits } from '../../../config/plugin-limits.ts'

/** The levels of go-plugin's logger. */
export type ProviderLogLevel = 'trace' | 'debug' | 'info' | 'warn' | 'error'

/** A line of a provider's log. */
export interface LogLine {
  readonly level: ProviderLogLevel
  /** The message with its structured fields. */
  readonly text: string
  /** True for a line that the provider's logger wrote. */
  readonly isTagged: boolean
}

const levels: readonly ProviderLogLevel[] = ['trace', 'debug', 'info', 'warn', 'error']
const levelPrefix = /^\[(TRACE|DEBUG|INFO|WARN|ERROR)\]\s*(.*)$/s

/** The fields that only repeat the place and the time of a line. */
const omittedFields = ['@level', '@message', '@module', '@timestamp', '@caller']

/** Parses a line of stderr: JSON of hclog, a text with a level, or any other text. */
export function parseLogLine(line: string): LogLine {
  const fields = parseFields(line)
  if (fields !== undefined) {
    const level = levels.find(candidate => candidate === fields['@level']) ?? 'debug'
    return { level, text: formatFields(fields), isTagged: true }
  }
  const [, name, text] = levelPrefix.exec(line) ?? []
  const level = levels.find(candidate => candidate === name?.toLowerCase())
  if (level === undefined || text === undefined)
    return { level: 'debug', text: line, isTagged: false }
  return { level, text, isTagged: true }
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
  /** Returns the lines from the panic on, or none without a panic. */
  readonly listLines: () => readonly string[]
}

/** Creates a buffer of the lines that begin with a panic and that the logger did not write. */
export function createPanicLines(): PanicLines {
  const lines: string[] = []
  return {
    add(line, { isTagged }) {
      const isFirst = /^(panic|fatal error): /.test(line)
      if (isTagged || (lines.length === 0 && !isFirst)) return
      if (lines.length < limits.panicLinesMax) lines.push(line)
    },
    listLines: () => [...lines],
  }
}
