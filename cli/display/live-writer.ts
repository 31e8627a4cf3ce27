import { Writable } from 'node:stream'
import type { OutputStream } from '../session/io.ts'

/** Draws pictures over each other on a terminal. */
export interface LiveWriter {
  /** Says that there is something new; the picture follows within a twentieth of a second. */
  readonly touch: () => void
  /**
   * Takes the last picture away; nothing is drawn afterwards, so that lines can be printed at once.
   */
  readonly close: () => void
}

/** Pictures a second at most; and never more than a tenth of the time goes into drawing. */
const intervalMs = 50
const drawingShare = 10
/** Without news a picture is drawn this often, for the times in it. */
const idleMs = 200

/** Makes a writer; `draw` gives the lines of a picture. The library is loaded meanwhile. */
export function createLiveWriter(
  stream: OutputStream,
  draw: () => readonly string[],
  nowMs: () => number,
): LiveWriter {
  let closed = false
  let timer: NodeJS.Timeout | undefined
  let drawnMs = Number.NEGATIVE_INFINITY
  let pauseMs = intervalMs
  let touched = false
  // The cursor stays: hiding it would take handlers of signals, which belong to the command.
  const loading = import('log-update').then(({ createLogUpdate }) =>
    createLogUpdate(toWritable(stream), { showCursor: true }),
  )
  let update: Awaited<typeof loading> | undefined
  const redraw = (): void => {
    touched = false
    if (closed || update === undefined) return
    const beganMs = nowMs()
    update(draw().join('\n'))
    drawnMs = nowMs()
    pauseMs = Math.max(intervalMs, (drawnMs - beganMs) * drawingShare)
    scheduleRedraw(Math.max(idleMs, pauseMs))
  }
  const scheduleRedraw = (ms: number): void => {
    clearTimeout(timer)
    // A display must not keep a process alive.
    timer = setTimeout(redraw, ms).unref()
  }
  const touch = (): void => {
    if (closed || touched || update === undefined) return
    touched = true
    scheduleRedraw(Math.max(0, drawnMs + pauseMs - nowMs()))
  }
  void loading.then(loaded => {
    update = loaded
    touch()
  })
  return {
    touch,
    close: () => {
      if (closed) return
      closed = true
      clearTimeout(timer)
      update?.clear()
    },
  }
}

/** The stream as the library wants it, with the size that the terminal has at each moment. */
function toWritable(stream: OutputStream): Writable {
  const writable = new Writable({
    decodeStrings: false,
    write: (chunk: unknown, _encoding, done) => {
      stream.write(String(chunk))
      done()
    },
  })
  return Object.defineProperties(writable, {
    columns: { get: () => stream.columns },
    rows: { get: () => stream.rows },
    isTTY: { get: () => stream.isTTY },
  })
}
