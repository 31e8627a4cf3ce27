import type { Display, DisplayOptions } from '../session/tools.ts'
import { formatConfig, formatEnd, formatTitle } from './start-and-end-lines.ts'
import { formatElapsed } from './format-elapsed.ts'
import { formatWaiting } from './live-frame.ts'
import { createPaint } from './paint.ts'
import {
  formatDiff,
  formatIdentity,
  type LineStyle,
  formatMessage,
  formatRow,
} from './plain-lines.ts'
import { type ProgressChange, createProgress, isListed } from './progress.ts'
import { diffProperties } from './property-diff.ts'

/**
 * Time without a line after which the running steps are printed, so that a log shows that the
 * deployment is alive.
 */
const silenceMs = 30_000

/**
 * Creates a display that prints one line for each changed resource and each message; for logs and
 * `--diff`.
 */
export function createPlainDisplay(
  options: DisplayOptions,
  nowMs: () => number = () => performance.now(),
): Display {
  const progress = createProgress(options)
  const paint = createPaint(options.color)
  const style: LineStyle = { paint, isPreview: options.dryRun }
  const startMs = nowMs()
  const print = (lines: readonly string[]): void => {
    if (lines.length > 0) options.stdout.write(`${lines.join('\n')}\n`)
  }
  let timer: NodeJS.Timeout | undefined
  const restartSilenceTimer = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const runningRows = progress.listRows().filter(row => row.status === 'running')
      const text = `    still waiting for ${formatWaiting(runningRows, options.dryRun)}`
      print([paint('faint', `${text}  ${formatElapsed(nowMs() - startMs)}`)])
      restartSilenceTimer()
    }, silenceMs).unref()
  }
  print([paint('bold', formatTitle(options))])
  let mustSeparate = true
  restartSilenceTimer()
  return {
    emit: event => {
      print(formatConfig(event, options, paint))
      const changes = progress.add(event, nowMs())
      const lines = changes.flatMap(change => formatChange(change, options, style))
      if (lines.length > 0) {
        restartSilenceTimer()
        print(mustSeparate ? ['', ...lines] : lines)
        mustSeparate = false
      }
      if (progress.isOver()) clearTimeout(timer)
    },
    finish: result => {
      clearTimeout(timer)
      print(formatEnd(progress, options, { result, elapsedMs: nowMs() - startMs, style }))
    },
  }
}

/** Returns the lines of one change: none for a row that is not listed or an ephemeral message. */
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
  // The step that creates the replacement shows the difference. The others would repeat it.
  if (metadata.op === 'replace' || metadata.op === 'delete-replaced') return [formatRow(row, style)]
  const isRefresh = options.kind === 'refresh' || metadata.op === 'refresh'
  const difference = diffProperties(metadata, isRefresh ? 'outputs' : 'inputs')
  return [
    formatRow(row, style),
    ...formatIdentity(metadata, style.paint),
    ...formatDiff(difference, style.paint),
  ]
}
