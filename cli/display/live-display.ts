import type { Display, DisplayOptions } from '../tools.ts'
import { endingLines, titleLine } from './ending.ts'
import { frameLines, lineText } from './live-frame.ts'
import { createLiveWriter, type LiveWriter } from './live-writer.ts'
import { createPaint } from './paint.ts'
import { groupedMessages, type LineStyle } from './plain-lines.ts'
import { createProgress, type Message } from './progress.ts'
import { treeLines } from './tree.ts'

/**
 * Paints a tree of what happens over itself, and at the end leaves the whole tree, all messages and
 * the summary. Draws nothing before the first event.
 */
export function createLiveDisplay(
  options: DisplayOptions,
  nowMs: () => number = () => performance.now(),
): Display {
  const progress = createProgress()
  const paint = createPaint(options.color)
  const style: LineStyle = { paint, planning: options.dryRun }
  const startedMs = nowMs()
  const latest = new Map<string, Message>()
  let writer: LiveWriter | undefined
  const columns = (): number => options.stdout.columns ?? 80
  const tree = () => ({
    rows: progress.rows(),
    messages: latest,
    nowMs: nowMs(),
    planning: options.dryRun,
  })
  const frame = (): readonly string[] =>
    frameLines(
      {
        ...tree(),
        startedMs,
        columns: columns(),
        height: options.stdout.rows ?? 24,
      },
      paint,
    )
  options.stdout.write(`${paint('bold', titleLine(options))}\n\n`)
  return {
    emit: event => {
      for (const change of progress.take(event, nowMs()))
        if (change.kind === 'message') latest.set(change.message.urn, change.message)
      writer ??= createLiveWriter(options.stdout, frame, nowMs)
      writer.touch()
    },
    finish: async result => {
      await writer?.close()
      const lines = treeLines(tree()).map(line =>
        lineText(line.segments, Number.POSITIVE_INFINITY, paint),
      )
      const messages = groupedMessages(progress.messages(), paint)
      const about = { result, elapsedMs: nowMs() - startedMs, style }
      const blocks = [
        ...lines,
        ...(messages.length > 0 ? ['', paint('bold', 'Messages:'), ...messages] : []),
        ...endingLines(progress, options, about),
      ]
      options.stdout.write(`${blocks.join('\n')}\n`)
    },
  }
}
