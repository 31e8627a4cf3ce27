import { type HclErrorFactory, type HclToken, maxHclDepth } from './hcl-token.ts'
import type { HclExpression } from './syntax.ts'

/** Parses one expression. The readers of collections and templates get it as an argument. */
export type ParseExpression = (reader: TokenReader) => HclExpression

/** A position in the tokens of a text. */
export interface TokenReader {
  readonly peek: () => HclToken
  readonly next: () => HclToken
  /** Reports whether the next token is this mark. */
  readonly isNext: (mark: string) => boolean
  /** Consumes a mark if it is the next token. */
  readonly skip: (mark: string) => boolean
  /** Consumes a mark. Throws TERRAFORM_FILE_INVALID if another token is next. */
  readonly expect: (mark: string) => void
  /** Consumes newlines. Returns whether there was one. */
  readonly skipNewlines: () => boolean
  /** Runs a function in which newlines are ignored, or are tokens again. */
  readonly withNewlines: <T>(handling: 'ignored' | 'tokens', read: () => T) => T
  /**
   * Returns the error for a token. Without `problem`, the message says that the token is
   * unexpected.
   */
  readonly createTokenError: (token: HclToken, problem?: string) => Error
  /** Creates the error for a place. */
  readonly createPlaceError: HclErrorFactory
  /** Runs a function one level deeper. Throws TERRAFORM_FILE_INVALID below the deepest level. */
  readonly nest: <T>(read: () => T) => T
  /** Creates a reader of other tokens of the same file. Both readers count levels together. */
  readonly createInner: (tokens: readonly HclToken[]) => TokenReader
}

/** The state that readers of nested templates share. */
interface Nesting {
  depth: number
}

/** Creates a reader at the first token. The last token must be `end`. */
export function createTokenReader(
  tokens: readonly HclToken[],
  createError: HclErrorFactory,
  nesting: Nesting = { depth: 0 },
): TokenReader {
  const end: HclToken = { kind: 'end', text: '', line: 1, column: 1, pieces: [] }
  let position = 0
  let ignoresNewlines = false
  const peekToken = (): HclToken => {
    if (ignoresNewlines) while (tokens[position]?.kind === 'newline') position += 1
    return tokens[position] ?? tokens.at(-1) ?? end
  }
  const isNext = (mark: string): boolean => {
    const { kind, text } = peekToken()
    return kind === 'mark' && text === mark
  }
  const skip = (mark: string): boolean => {
    const isFound = isNext(mark)
    if (isFound) position += 1
    return isFound
  }
  const createTokenError = (token: HclToken, problem?: string): Error =>
    createError(token, problem ?? describeUnexpected(token))
  return {
    peek: peekToken,
    isNext,
    skip,
    createTokenError,
    createPlaceError: createError,
    next() {
      const token = peekToken()
      position += 1
      return token
    },
    expect(mark) {
      if (!skip(mark)) throw createTokenError(peekToken())
    },
    skipNewlines() {
      const start = position
      while (tokens[position]?.kind === 'newline') position += 1
      return position > start
    },
    withNewlines(handling, read) {
      const previous = ignoresNewlines
      ignoresNewlines = handling === 'ignored'
      try {
        return read()
      } finally {
        ignoresNewlines = previous
      }
    },
    nest(read) {
      nesting.depth += 1
      if (nesting.depth > maxHclDepth)
        throw createTokenError(peekToken(), 'the nesting is too deep')
      try {
        return read()
      } finally {
        nesting.depth -= 1
      }
    },
    createInner: innerTokens => createTokenReader(innerTokens, createError, nesting),
  }
}

function describeUnexpected({ kind, text }: HclToken): string {
  if (kind === 'end') return 'the text ends too early'
  return kind === 'newline' ? 'the line ends too early' : `'${text.trim()}' is not expected`
}
