import type { Display, DisplayOptions } from '../tools.ts'
import { configLines, endingLines, titleLine } from './ending.ts'
import { durationText } from './duration.ts'
import { waitedFor } from './live-frame.ts'
import { createPaint } from './paint.ts'
import { diffLines, type LineStyle, messageLines, rowLine } from './plain-lines.ts'
import { type Change, createProgress, isListed } from './progress.ts'
import { propertyLines } from './property-diff.ts'

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
  const listen = (): void => {
    clearTimeout(timer)
    timer = setTimeout(() => {
      const running = progress.rows().filter(row => row.status === 'running')
      const text = `    still waiting for ${waitedFor(running, options.dryRun)}`
      print([paint('faint', `${text}  ${durationText(nowMs() - startedMs)}`)])
      listen()
    }, silenceMs).unref()
  }
  print([paint('bold', titleLine(options)), ''])
  listen()
  return {
    emit: event => {
      const changes = progress.take(event, nowMs())
      const lines = [
        ...configLines(event, options, paint),
        ...changes.flatMap(change => changeLines(change, options, style)),
      ]
      if (lines.length > 0) listen()
      print(lines)
      if (progress.isOver()) clearTimeout(timer)
    },
    finish: result => {
      clearTimeout(timer)
      print(endingLines(progress, options, { result, elapsedMs: nowMs() - startedMs, style }))
    },
  }
}

/** The lines of one change; a resource that stays as it is has none. */
function changeLines(
  change: Change,
  options: Pick<DisplayOptions, 'kind' | 'diff' | 'showSames' | 'showReads'>,
  style: LineStyle,
): readonly string[] {
  if (change.kind === 'message')
    return change.message.ephemeral ? [] : messageLines(change.message, style.paint)
  const { row, metadata } = change
  if (!isListed(row, options)) return []
  if (!options.diff) return [rowLine(row, style)]
  const isFound = options.kind === 'refresh' || metadata.op === 'refresh'
  const difference = propertyLines(metadata, isFound ? 'outputs' : 'inputs')
  return [rowLine(row, style), ...diffLines(difference, style.paint)]
}
