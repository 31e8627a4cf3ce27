import type { HclPlace } from './syntax.ts'

/** A position in a text. */
export interface HclCursor {
  readonly isAtEnd: () => boolean
  readonly place: () => HclPlace
  /** Consumes the text that a sticky pattern matches here. Returns undefined without a match. */
  readonly take: (pattern: RegExp) => string | undefined
  /** Returns the beginning of the remaining line, for a message. */
  readonly peekText: () => string
}

/** Creates a cursor at the beginning of a text. `start` is the place of that beginning. */
export function createCursor(text: string, start: HclPlace = { line: 1, column: 1 }): HclCursor {
  let position = 0
  let { line, column } = start
  return {
    isAtEnd: () => position >= text.length,
    place: () => ({ line, column }),
    take(pattern) {
      pattern.lastIndex = position
      const [piece] = pattern.exec(text) ?? []
      if (piece === undefined || piece === '') return undefined
      position += piece.length
      const lines = piece.split('\n')
      line += lines.length - 1
      column = lines.length === 1 ? column + piece.length : (lines.at(-1)?.length ?? 0) + 1
      return piece
    },
    peekText: () =>
      text
        .slice(position, position + 10)
        .split('\n')[0]
        ?.trim() ?? '',
  }
}
