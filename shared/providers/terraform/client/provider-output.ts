import { pluginLimits as limits } from '../../../config/plugin-limits.ts'
import type { PluginMessage } from '../../plugins/plugin-message.ts'
import { createTail } from '../../plugins/plugin-output.ts'
import { createPanicLines, type ProviderLogLevel, parseLogLine } from './log-lines.ts'

/** Providers log every call at lower levels, which would hide the reason of a crash. */
const severeLevels: readonly ProviderLogLevel[] = ['warn', 'error']

/** The receiver of a provider's output. */
export interface ProviderOutput {
  readonly redact: (text: string) => string
  /** Reports a line of the provider as a debug message, with the level of its logger. */
  readonly addLine: (line: string, stream: 'stdout' | 'stderr') => void
  /**
   * Returns the lines for reports of failures: those of a panic, or else the last warnings, errors
   * and free texts.
   */
  readonly listReportLines: () => readonly string[]
}

/**
 * Creates the receiver of a provider's output. The streams have the ids `streamId` and
 * `streamId + 1`. Only redacted text is reported and kept.
 */
export function createProviderOutput(options: {
  readonly plugin: string
  readonly report: (message: PluginMessage) => void
  readonly redact: (text: string) => string
  readonly streamId: number
  /** Whether the user reads traces. Providers trace every call, so others are not even parsed. */
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
      const prefix = logLine.isTagged ? `[${logLine.level.toUpperCase()}] ` : ''
      const text = prefix + redact(logLine.text)
      if (stream === 'stderr') {
        panic.add(text, logLine)
        if (!logLine.isTagged || severeLevels.includes(logLine.level)) tail.add(text)
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
