import type { OutputStream } from '../io.ts'
import type { Display, DisplayOptions } from '../tools.ts'
import { configLines, endingLines, titleLine } from './ending.ts'
import { frameLines, lineText } from './live-frame.ts'
import { createLiveWriter, type LiveWriter } from './live-writer.ts'
import { createPaint, type Paint } from './paint.ts'
import { groupedMessages, type LineStyle } from './plain-lines.ts'
import type { Message } from './messages.ts'
import { createProgress } from './progress.ts'
import { treeLines } from './tree.ts'

/**
 * Paints a tree of what happens over itself, and at the end leaves the whole tree, all messages and
 * the summary. Draws nothing before the first event. Tree and messages stand when the last event
 * came: a deployment that a fault ends has no result, and `finish` is not called.
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
  const tree = () => ({
    rows: progress.rows(),
    messages: latest,
    nowMs: nowMs(),
    planning: options.dryRun,
    showSames: options.showSames,
    showReads: options.showReads,
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
  let told: number | undefined
  const settle = (): void => {
    if (told !== undefined) return
    writer?.close()
    const lines = treeLines(tree()).map(line =>
      lineText(line.segments, Number.POSITIVE_INFINITY, paint),
    )
    const messages = progress.messages()
    told = messages.length
    print(options.stdout, [...lines, ...messageBlock(messages, paint)])
  }
  return {
    emit: event => {
      print(options.stdout, configLines(event, options, paint))
      for (const change of progress.take(event, nowMs()))
        if (change.kind === 'message') latest.set(change.message.urn, change.message)
      if (progress.isOver()) return settle()
      writer ??= createLiveWriter(options.stdout, frame, nowMs)
      writer.touch()
    },
    finish: result => {
      settle()
      // What plugins said while they were stopped.
      const late = messageBlock(progress.messages().slice(told), paint)
      const about = { result, elapsedMs: nowMs() - startedMs, style }
      print(options.stdout, [...late, ...endingLines(progress, options, about)])
    },
  }
}

function print(stdout: OutputStream, lines: readonly string[]): void {
  if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`)
}

function messageBlock(messages: readonly Message[], paint: Paint): readonly string[] {
  const lines = groupedMessages(messages, paint)
  return lines.length > 0 ? ['', paint('bold', 'Messages:'), ...lines] : []
}
