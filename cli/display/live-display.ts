import type { OutputStream } from '../session/io.ts'
import type { Display, DisplayOptions } from '../session/tools.ts'
import { formatConfig, formatEnd, formatLinkedTitle } from './start-and-end-lines.ts'
import { renderFrame, renderLine } from './live-frame.ts'
import { createLiveWriter, type LiveWriter } from './live-writer.ts'
import { createPaint, type Paint } from './paint.ts'
import { formatGroupedMessages, type LineStyle } from './plain-lines.ts'
import type { Message } from './messages.ts'
import { createProgress } from './progress.ts'
import { renderTree } from './tree.ts'

/**
 * Creates a display that redraws a live tree from the first event on. After the last event it
 * prints the whole tree and all messages. `finish` prints the summary, and is not called for a
 * deployment that fails unexpectedly.
 */
export function createLiveDisplay(
  options: DisplayOptions,
  nowMs: () => number = () => performance.now(),
): Display {
  const progress = createProgress(options)
  const paint = createPaint(options.color)
  const style: LineStyle = { paint, isPreview: options.dryRun }
  const startMs = nowMs()
  const latestMessages = new Map<string, Message>()
  let writer: LiveWriter | undefined
  const createTreeInput = (mustFold = false) => ({
    rows: progress.listRows(),
    messages: latestMessages,
    nowMs: nowMs(),
    isPreview: options.dryRun,
    showSames: options.showSames,
    showReads: options.showReads,
    mustFold,
  })
  const drawFrame = (): readonly string[] =>
    renderFrame(
      {
        ...createTreeInput(),
        startedMs: startMs,
        expectedMs: options.readExpectedMs?.(),
        // A terminal without a size reports 0.
        columns: options.stdout.columns || 80,
        height: options.stdout.rows || 24,
      },
      paint,
    )
  options.stdout.write(`${formatLinkedTitle(options, paint)}\n`)
  let printedMessageCount: number | undefined
  const printFinalTree = (): void => {
    if (printedMessageCount !== undefined) return
    writer?.close()
    const lines = renderTree(createTreeInput(!options.verbose && !options.urns)).map(line =>
      renderLine(line.segments, Number.POSITIVE_INFINITY, paint),
    )
    const messages = progress.listMessages()
    printedMessageCount = messages.length
    const tree = lines.length > 0 ? ['', ...lines] : []
    print(options.stdout, [...tree, ...renderMessageBlock(messages, paint)])
  }
  return {
    emit: event => {
      print(options.stdout, formatConfig(event, options, paint))
      for (const change of progress.add(event, nowMs()))
        if (change.kind === 'message') latestMessages.set(change.message.urn, change.message)
      if (progress.isOver()) return printFinalTree()
      writer ??= createLiveWriter(options.stdout, drawFrame, nowMs)
      writer.requestRedraw()
    },
    finish: result => {
      printFinalTree()
      // Plugins may print messages after the last event, while the engine stops them.
      const lateLines = renderMessageBlock(
        progress.listMessages().slice(printedMessageCount),
        paint,
      )
      const end = { result, elapsedMs: nowMs() - startMs, style }
      print(options.stdout, [...lateLines, ...formatEnd(progress, options, end)])
    },
  }
}

function print(stdout: OutputStream, lines: readonly string[]): void {
  if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`)
}

function renderMessageBlock(messages: readonly Message[], paint: Paint): readonly string[] {
  const lines = formatGroupedMessages(messages, paint)
  return lines.length > 0 ? ['', paint('bold', 'Messages:'), ...lines] : []
}
