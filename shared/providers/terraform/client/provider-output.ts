import { pluginLimits as limits } from '../../../config/plugin-limits.ts'
import type { PluginMessage } from '../../plugins/plugin-message.ts'
import { createTail } from '../../plugins/plugin-output.ts'
import { createPanicLines, type ProviderLogLevel, parseLogLine } from './log-lines.ts'

/** The levels in reports of crashes. Lower levels log every call, and would hide the reason. */
const severeLevels: readonly ProviderLogLevel[] = ['warn', 'error']

/** The receiver of a provider's output. */
export interface ProviderOutput {
  readonly redact: (text: string) => string
  /** Reports a line of the provider as a debug message, with the level of its logger. */
  readonly addLine: (line: string, stream: 'stdout' | 'stderr') => void
  /**
   * Returns the lines of stderr for reports of failures: those of a panic, or else the last
   * warnings, errors and free texts.
   */
  readonly listReportLines: () => readonly string[]
}

/**
 * Creates the receiver of a provider's output. `streamId` is the id of stdout, and `streamId + 1`
 * that of stderr. Only redacted text is reported and stored.
 */
export function createProviderOutput(options: {
  readonly plugin: string
  readonly report: (message: PluginMessage) => void
  readonly redact: (text: string) => string
  readonly streamId: number
  /** Whether traces are reported. Otherwise they are skipped unparsed, because they are many. */
  readonly showsTraces: boolean
}): ProviderOutput {
  const { plugin, report, redact, streamId, showsTraces } = options
  const panic = createPanicLines()
  const tail = createTail(limits.crashReportLines)
  return {
    redact,
    listReportLines() {
      const panicLines = panic.listLines()
      return panicLines.length > 0 ? panicLines : tail.listLines()
    },
    addLine(line, stream) {
      if (!showsTraces && line.startsWith('{') && line.includes('"@level":"trace"')) return
      const logLine = parseLogLine(line)
      const prefix = logLine.isFromLogger ? `[${logLine.level.toUpperCase()}] ` : ''
      const text = prefix + redact(logLine.text)
      if (stream === 'stderr') {
        panic.add(text, logLine)
        if (!logLine.isFromLogger || severeLevels.includes(logLine.level)) tail.add(text)
      }
      report({
        plugin,
        severity: 'debug',
        text,
        streamId: stream === 'stdout' ? streamId : streamId + 1,
      })
    },
  }
}
