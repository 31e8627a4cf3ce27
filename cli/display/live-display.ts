import type { OutputStream } from '../session/io.ts'
import type { Display, DisplayOptions } from '../session/tools.ts'
import { formatConfig, formatEnd, formatTitle } from './start-and-end-lines.ts'
import { renderFrame, renderLine } from './live-frame.ts'
import { createLiveWriter, type LiveWriter } from './live-writer.ts'
import { createPaint, type Paint } from './paint.ts'
import { formatGroupedMessages, type LineStyle } from './plain-lines.ts'
import type { Message } from './messages.ts'
import { createProgress } from './progress.ts'
import { renderTree } from './tree.ts'

/**
 * Creates a live tree that redraws itself. At the end it prints the whole tree, all messages and
 * the summary. It draws nothing before the first event. Tree and messages are printed after the
 * last event: a deployment that fails unexpectedly has no result, and `finish` is not called.
 */
export function createLiveDisplay(
  options: DisplayOptions,
  nowMs: () => number = () => performance.now(),
): Display {
  const progress = createProgress(options)
  const paint = createPaint(options.color)
  const style: LineStyle = { paint, planning: options.dryRun }
  const startedMs = nowMs()
  const latest = new Map<string, Message>()
  let writer: LiveWriter | undefined
  const columns = (): number => options.stdout.columns ?? 80
  const treeInput = () => ({
    rows: progress.rows(),
    messages: latest,
    nowMs: nowMs(),
    planning: options.dryRun,
    showSames: options.showSames,
    showReads: options.showReads,
  })
  const drawFrame = (): readonly string[] =>
    renderFrame(
      {
        ...treeInput(),
        startedMs,
        columns: columns(),
        height: options.stdout.rows ?? 24,
      },
      paint,
    )
  options.stdout.write(`${paint('bold', formatTitle(options))}\n\n`)
  let printedMessages: number | undefined
  const printFinalTree = (): void => {
    if (printedMessages !== undefined) return
    writer?.close()
    const lines = renderTree(treeInput()).map(line =>
      renderLine(line.segments, Number.POSITIVE_INFINITY, paint),
    )
    const messages = progress.messages()
    printedMessages = messages.length
    print(options.stdout, [...lines, ...messageBlockLines(messages, paint)])
  }
  return {
    emit: event => {
      print(options.stdout, formatConfig(event, options, paint))
      for (const change of progress.take(event, nowMs()))
        if (change.kind === 'message') latest.set(change.message.urn, change.message)
      if (progress.isOver()) return printFinalTree()
      writer ??= createLiveWriter(options.stdout, drawFrame, nowMs)
      writer.touch()
    },
    finish: result => {
      printFinalTree()
      // Messages that plugins printed while they were stopped.
      const late = messageBlockLines(progress.messages().slice(printedMessages), paint)
      const end = { result, elapsedMs: nowMs() - startedMs, style }
      print(options.stdout, [...late, ...formatEnd(progress, options, end)])
    },
  }
}

function print(stdout: OutputStream, lines: readonly string[]): void {
  if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`)
}

function messageBlockLines(messages: readonly Message[], paint: Paint): readonly string[] {
  const lines = formatGroupedMessages(messages, paint)
  return lines.length > 0 ? ['', paint('bold', 'Messages:'), ...lines] : []
}
