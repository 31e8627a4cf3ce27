import type { Display, DisplayOptions } from '../session/tools.ts'
import { formatConfig, formatEnd, formatTitle } from './start-and-end-lines.ts'
import { formatGroupBegin, formatGroupEnd } from './ci-group.ts'
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
import { formatTimeLeft } from './time-left.ts'

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
      const elapsedMs = nowMs() - startMs
      const timeLeft = formatTimeLeft(options.readExpectedMs?.(), elapsedMs)
      print([paint('faint', `${text}  ${formatElapsed(elapsedMs)}${timeLeft}`)])
      restartSilenceTimer()
    }, silenceMs).unref()
  }
  const group = createCiGroup(options)
  print([group === undefined ? paint('bold', formatTitle(options)) : group.begin])
  let mustSeparate = group === undefined
  let mustEndGroup = group !== undefined
  const endGroup = (): void => {
    if (mustEndGroup && group !== undefined) print([group.end()])
    mustEndGroup = false
  }
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
      if (!progress.isOver()) return
      clearTimeout(timer)
      endGroup()
    },
    abandon: () => {
      clearTimeout(timer)
      endGroup()
    },
    finish: result => {
      clearTimeout(timer)
      endGroup()
      print(formatEnd(progress, options, { result, elapsedMs: nowMs() - startMs, style }))
    },
  }
}

/**
 * Returns the lines that begin and end the group of an operation in the log of a CI job. The title
 * of the group is that of the operation. Returns undefined outside of a CI job.
 */
function createCiGroup(
  options: DisplayOptions,
): { readonly begin: string; readonly end: () => string } | undefined {
  const { ciService: service } = options
  if (service === undefined || options.stdout.isTTY === true) return undefined
  const title = formatTitle(options)
  const readGroup = () => ({ service, title, unixSeconds: Math.floor(Date.now() / 1000) })
  return {
    begin: formatGroupBegin(readGroup()),
    end: () => formatGroupEnd(readGroup()),
  }
}

/** Returns the lines of one change. An ephemeral message or an unlisted row has none. */
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
