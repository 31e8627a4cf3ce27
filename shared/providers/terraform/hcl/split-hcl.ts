import {
  type HclErrorFactory,
  type HclToken,
  maxHclDepth,
  type TemplatePiece,
} from './hcl-token.ts'
import type { HclPlace } from './syntax.ts'
import { createCursor, type HclCursor } from './hcl-cursor.ts'
import { readHeredoc, readQuoted, readTemplateText } from './split-template.ts'

const patterns = [
  ['space', /[ \t\r\f\v\u{FEFF}]+|\/\*[\s\S]*?\*\//uy],
  ['comment', /(?:#|\/\/)[^\n]*/y],
  ['newline', /\n/y],
  ['name', /[\p{L}_][\p{L}\p{N}_-]*/uy],
  ['number', /\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y],
  ['heredoc', /<<-?[\p{L}_][\p{L}\p{N}_-]*[ \t]*\r?\n/uy],
  ['quote', /"/y],
  ['mark', /\.\.\.|==|!=|<=|>=|&&|\|\||=>|::|[{}[\]().,:?=+\-*/%!<>~]/y],
] as const

/**
 * Splits a text into its tokens, the last of which is `end`. Comments are left out. Throws
 * TERRAFORM_FILE_INVALID for text that is no token, and for unknown escapes. `start` is the place of
 * the beginning of the text.
 */
export function splitHcl(
  text: string,
  createError: HclErrorFactory,
  start?: HclPlace,
): readonly HclToken[] {
  return splitTokens(createCursor(text, start), { createError, isNested: false, depth: 0 })
}

/**
 * Splits a template into its pieces. The template has no quotes around it, and no escapes with a
 * backslash. Throws like `splitHcl`.
 */
export function splitTemplateText(
  cursor: HclCursor,
  createError: HclErrorFactory,
): readonly TemplatePiece[] {
  return readTemplateText(cursor, { splitNested, createError, depth: 1 })
}

/**
 * The context in which tokens are read. With `isNested`, they end with the `}` of an interpolation or
 * directive.
 */
export interface TokenScope {
  readonly createError: HclErrorFactory
  readonly isNested: boolean
  readonly depth: number
}

/** Reads tokens from a cursor. The `}` at the end of nested tokens is the token `end`. */
function splitTokens(cursor: HclCursor, scope: TokenScope): readonly HclToken[] {
  const { createError, isNested, depth } = scope
  if (depth > maxHclDepth) throw createError(cursor.place(), 'the templates are nested too deeply')
  const tokens: HclToken[] = []
  let braces = 0
  while (!cursor.isAtEnd()) {
    const place = cursor.place()
    const [kind, text] = takeToken(cursor) ?? []
    if (kind === undefined || text === undefined)
      throw createError(place, `'${cursor.peekText()}' is not expected`)
    const readTemplate = { splitNested, createError, depth: depth + 1 }
    if (kind === 'quote' || kind === 'heredoc') {
      const read = kind === 'quote' ? readQuoted : readHeredoc
      tokens.push({ ...place, kind: 'template', text, pieces: read(cursor, text, readTemplate) })
      // The last line of a heredoc also ends its attribute.
      if (kind === 'heredoc') tokens.push({ ...place, kind: 'newline', text: '\n', pieces: [] })
      continue
    }
    if (text === '{') braces += 1
    if (text === '}' && braces === 0 && isNested) return [...tokens, createEnd(place)]
    if (text === '}') braces -= 1
    if (kind !== 'space' && kind !== 'comment') tokens.push({ ...place, kind, text, pieces: [] })
  }
  if (isNested) throw createError(cursor.place(), 'the template has no }')
  return [...tokens, createEnd(cursor.place())]
}

function splitNested(
  cursor: HclCursor,
  { createError, depth }: Pick<TokenScope, 'createError' | 'depth'>,
): readonly HclToken[] {
  return splitTokens(cursor, { createError, depth, isNested: true })
}

function createEnd(place: HclPlace): HclToken {
  return { ...place, kind: 'end', text: '', pieces: [] }
}

function takeToken(cursor: HclCursor): readonly [(typeof patterns)[number][0], string] | undefined {
  for (const [kind, pattern] of patterns) {
    const text = cursor.take(pattern)
    if (text !== undefined) return [kind, text]
  }
  return undefined
}
