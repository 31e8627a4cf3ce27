/**
 * display: shows a running deployment and its result. It knows only the events
 * (docs/spec/events.md) and the result. May import the command line's ports, events, names and
 * values.
 *
 * Invariants: with `--json` only JSON reaches standard output. Emitting never throws and never
 * waits. Pure functions format the lines, and only the displays write them.
 */
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { Display, DisplayOptions } from '../session/tools.ts'
import { createDigestDisplay } from './preview-digest.ts'
import { createJsonLines } from './json-lines.ts'
import { createLiveDisplay } from './live-display.ts'
import { createLiveSummary } from './operation-summary.ts'
import { createPaint } from './paint.ts'
import { createPlainDisplay } from './plain-display.ts'
import { formatPending } from './summary.ts'

/** Creates a display: a summary, JSON lines, a preview digest, a live tree, or plain lines. */
export function createDisplay(options: DisplayOptions): Display {
  if (options.summaryOnly) return createSummaryDisplay(options)
  if (options.json)
    return options.digest && options.dryRun
      ? createDigestDisplay(options)
      : createJsonDisplay(options)
  // Diffs are long, and the live tree has no space for them.
  const isLive = options.interactive && options.stdout.isTTY === true && !options.diff
  return isLive ? createLiveDisplay(options) : createPlainDisplay(options)
}

/** Prints the summary as one line of JSON when the operation ends. */
function createSummaryDisplay({ showSames, stdout }: DisplayOptions): Display {
  const summary = createLiveSummary({ showSames })
  return {
    emit: event => summary.add(event),
    finish: () => void stdout.write(`${JSON.stringify(summary.read())}\n`),
  }
}

function createJsonDisplay(options: DisplayOptions): Display {
  const print = createJsonLines(
    line => options.stdout.write(line),
    () => Math.floor(Date.now() / 1000),
  )
  return {
    emit: (event: EngineEventPayload) => print(event),
    finish: result => {
      const lines = formatPending(result.pending, createPaint(false))
      if (lines.length > 0) options.stderr.write(`${lines.join('\n')}\n`)
    },
  }
}
