import { Writable } from 'node:stream'
import type { OutputStream } from '../io.ts'
import { createLineScreen, type Screen } from './screen.ts'

/** A frame asks for the size of the terminal each time: it may change. */
export interface TerminalSize {
  readonly columns: number
  readonly rows: number
}

const repaintMs = 100

type Painter = Awaited<ReturnType<typeof loadPainter>>

/**
 * A screen with a frame, repainted ten times a second until it is closed. Lines written meanwhile go
 * above the frame, in order. A deployment that ends is not kept waiting: the timer holds no process.
 */
export function createLiveScreen(
  stdout: OutputStream,
  frame: (size: TerminalSize) => readonly string[],
): Screen {
  const plain = createLineScreen(stdout)
  let painter: Painter | undefined
  let isOpen = true
  const paint = (): void => {
    const columns = stdout.columns ?? 80
    const size = { columns: Math.max(columns - 1, 1), rows: stdout.rows ?? 24 }
    if (isOpen) painter?.(frame(size).join('\n'))
  }
  const loading = loadPainter(stdout).then(loaded => {
    painter = loaded
    paint()
  })
  const timer = setInterval(paint, repaintMs).unref()
  return {
    write(lines) {
      if (lines.length === 0) return
      if (isOpen) painter?.clear()
      plain.write(lines)
      paint()
    },
    async close() {
      if (isOpen) {
        clearInterval(timer)
        painter?.clear()
        painter?.done()
        isOpen = false
      }
      await loading
    },
  }
}

/** The painter, loaded only where there is a terminal; it wants a stream of Node. */
async function loadPainter(stdout: OutputStream) {
  const { createLogUpdate } = await import('log-update')
  const stream = new Writable({
    decodeStrings: false,
    write(text, _encoding, done) {
      stdout.write(String(text))
      done()
    },
  })
  const size = {
    isTTY: { get: () => true },
    columns: { get: () => stdout.columns },
    rows: { get: () => stdout.rows },
  }
  return createLogUpdate(Object.defineProperties(stream, size))
}
