import type { OutputStream } from '../io.ts'

/** Where text goes: lines that stay, and on a terminal a frame below them that is painted over. */
export interface Screen {
  readonly write: (lines: readonly string[]) => void
  /** Takes the frame away and paints no more; resolves when everything is written. */
  readonly close: () => Promise<void>
}

/** A screen without a frame. */
export function createLineScreen(stdout: OutputStream): Screen {
  return {
    write(lines) {
      if (lines.length > 0) stdout.write(`${lines.join('\n')}\n`)
    },
    close: () => Promise.resolve(),
  }
}
