import type { Display, DisplayOptions } from '../session/tools.ts'
import { formatConfig, formatEnd, formatTitle } from './start-and-end-lines.ts'
import { formatElapsed } from './format-elapsed.ts'
import { waitingText } from './live-frame.ts'
import { createPaint } from './paint.ts'
import { formatDiff, type LineStyle, formatMessage, formatRow } from './plain-lines.ts'
import { type ProgressChange, createProgress, isListed } from './progress.ts'
import { diffProperties } from './property-diff.ts'

/** After so long without a line one says what runs, so that a log does not look dead. */
const silenceMs = 30_000

/**
 * Prints a line when a resource changed and when somebody says something; for logs and `--diff`.
 */
export function createPlainDisplay(
  options: DisplayOptions,
  nowMs: () => number = () => performance.now(),
): Display {
  const progress = createProgress(options)
  const paint = createPaint(options.color)
  const style: LineStyle = { paint, planning: options.dryRun }
  const startedMs = nowMs()
  const print = (lines: readonly string[]): void => {
    if (lines.length > 0) options.stdout.write(`${lines.join('\n')}\n`)
  }
  let timer: NodeJS.Timeout | undefined
  const restartSilenceTimer = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const running = progress.rows().filter(row => row.status === 'running')
      const text = `    still waiting for ${waitingText(running, options.dryRun)}`
      print([paint('faint', `${text}  ${formatElapsed(nowMs() - startedMs)}`)])
      restartSilenceTimer()
    }, silenceMs).unref()
  }
  print([paint('bold', formatTitle(options)), ''])
  restartSilenceTimer()
  return {
    emit: event => {
      const changes = progress.take(event, nowMs())
      const lines = [
        ...formatConfig(event, options, paint),
        ...changes.flatMap(change => formatChange(change, options, style)),
      ]
      if (lines.length > 0) restartSilenceTimer()
      print(lines)
      if (progress.isOver()) clearTimeout(timer)
    },
    finish: result => {
      clearTimeout(timer)
      print(formatEnd(progress, options, { result, elapsedMs: nowMs() - startedMs, style }))
    },
  }
}

/** The lines of one change; a resource that stays as it is has none. */
function formatChange(
  change: ProgressChange,
  options: Pick<DisplayOptions, 'kind' | 'diff' | 'showSames' | 'showReads'>,
  style: LineStyle,
): readonly string[] {
  if (change.kind === 'message')
    return change.message.ephemeral ? [] : formatMessage(change.message, style.paint)
  const { row, metadata } = change
  if (!isListed(row, options)) return []
  if (!options.diff) return [formatRow(row, style)]
  const isFound = options.kind === 'refresh' || metadata.op === 'refresh'
  const difference = diffProperties(metadata, isFound ? 'outputs' : 'inputs')
  return [formatRow(row, style), ...formatDiff(difference, style.paint)]
}
