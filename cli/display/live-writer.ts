import { Writable } from 'node:stream'
import type { OutputStream } from '../session/io.ts'

/** A writer that redraws frames in place on a terminal. */
export interface LiveWriter {
  /**
   * Requests a frame after a change. The frame follows within 50 ms, or later if drawing is slow or
   * the package `log-update` is not loaded yet.
   */
  readonly requestRedraw: () => void
  /** Removes the last frame. Nothing is drawn afterwards, so lines can be printed immediately. */
  readonly close: () => void
}

/** Minimum interval of frames. */
const frameIntervalMs = 50
/** Minimum ratio of the pause after a frame to the time of drawing the frame. */
const pauseToDrawingRatio = 10
/** Interval of frames without changes, which update the durations. */
const idleIntervalMs = 200

/**
 * Creates a writer. `draw` returns the lines of a frame. The package `log-update` is loaded in the
 * background, and no frame is drawn before it is loaded.
 */
export function createLiveWriter(
  stream: OutputStream,
  draw: () => readonly string[],
  nowMs: () => number,
): LiveWriter {
  let isClosed = false
  let timer: NodeJS.Timeout | undefined
  let lastDrawnMs = Number.NEGATIVE_INFINITY
  let pauseMs = frameIntervalMs
  let isRedrawPending = false
  // The cursor stays visible. To hide it, the package would install signal handlers, but signals
  // belong to the command.
  const libraryPromise = import('log-update').then(({ createLogUpdate }) =>
    createLogUpdate(toWritable(stream), { showCursor: true }),
  )
  let writeFrame: Awaited<typeof libraryPromise> | undefined
  const redraw = (): void => {
    isRedrawPending = false
    if (isClosed || writeFrame === undefined) return
    const startMs = nowMs()
    writeFrame(draw().join('\n'))
    lastDrawnMs = nowMs()
    pauseMs = Math.max(frameIntervalMs, (lastDrawnMs - startMs) * pauseToDrawingRatio)
    scheduleRedraw(Math.max(idleIntervalMs, pauseMs))
  }
  const scheduleRedraw = (ms: number): void => {
    clearTimeout(timer)
    // `unref`, because a display must not keep the process alive.
    timer = setTimeout(redraw, ms).unref()
  }
  const requestRedraw = (): void => {
    if (isClosed || isRedrawPending || writeFrame === undefined) return
    isRedrawPending = true
    scheduleRedraw(Math.max(0, lastDrawnMs + pauseMs - nowMs()))
  }
  void libraryPromise.then(logUpdate => {
    writeFrame = logUpdate
    requestRedraw()
  })
  return {
    requestRedraw,
    close: () => {
      if (isClosed) return
      isClosed = true
      clearTimeout(timer)
      writeFrame?.clear()
    },
  }
}

/** Adapts the stream to the library, with the current size of the terminal. */
function toWritable(stream: OutputStream): Writable {
  const writable = new Writable({
    decodeStrings: false,
    write: (chunk: unknown, _encoding, callback) => {
      stream.write(String(chunk))
      callback()
    },
  })
  return Object.defineProperties(writable, {
    columns: { get: () => stream.columns || 80 },
    rows: { get: () => stream.rows || 24 },
    isTTY: { get: () => stream.isTTY },
  })
}
