import { Writable } from 'node:stream'
import type { OutputStream } from '../session/io.ts'

/** Redraws frames in place on a terminal. */
export interface LiveWriter {
  /** Reports a change. The next frame follows within a twentieth of a second. */
  readonly touch: () => void
  /** Removes the last frame. Nothing is drawn afterwards, so lines can be printed immediately. */
  readonly close: () => void
}

/** Minimum interval of frames. Drawing takes at most a tenth of the time. */
const intervalMs = 50
const drawingShare = 10
/** Interval of frames without changes, which update the durations. */
const idleMs = 200

/**
 * Creates a writer. `draw` returns the lines of a frame. The library is loaded in the background.
 */
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
  // The cursor stays visible: hiding it would install signal handlers, and those belong to the
  // command.
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
    // A display must not keep the process alive.
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

/** Adapts the stream to the library, with the current size of the terminal. */
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
