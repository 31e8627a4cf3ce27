import { createCursor, type HclCursor } from './hcl-cursor.ts'
import type { HclErrorFactory, HclToken, TemplatePiece } from './hcl-token.ts'

/** The functions and the depth with which the expressions in a template are split into tokens. */
interface TemplateReader {
  readonly createError: HclErrorFactory
  readonly depth: number
  readonly splitNested: (
    cursor: HclCursor,
    scope: { readonly createError: HclErrorFactory; readonly depth: number },
  ) => readonly HclToken[]
}

const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
}

/** Reads a template in quotes, whose first quote is already consumed. */
export function readQuoted(
  cursor: HclCursor,
  _opening: string,
  reader: TemplateReader,
): readonly TemplatePiece[] {
  const start = cursor.place()
  return readPieces(cursor, reader, {
    text: /(?:[^"\\\n$%]|[$%](?!\{)(?![$%]\{))+|\$\$\{|%%\{|[$%](?=[$%]\{)/y,
    isEnd: () => cursor.take(/"/y) !== undefined,
    takeEscape: () => takeEscape(cursor, reader.createError),
    createOpenError: () => reader.createError(start, 'the text in quotes does not end in its line'),
  })
}

/** Reads a heredoc, whose first line is already consumed. */
export function readHeredoc(
  cursor: HclCursor,
  opening: string,
  reader: TemplateReader,
): readonly TemplatePiece[] {
  const [, dash, word = ''] = /^<<(-?)(\S+)/.exec(opening) ?? []
  const start = cursor.place()
  const lines: string[] = []
  for (;;) {
    const line = cursor.take(/[^\n]*(?:\n|$)/y)
    if (line === undefined) throw reader.createError(start, `the heredoc ${word} does not end`)
    if (line.trim() === word) {
      const content = dash === '-' ? removeIndentation(lines) : lines
      return readTemplateText(createCursor(content.join(''), start), reader)
    }
    lines.push(line.replace(/\r\n$/, '\n'))
    if (cursor.isAtEnd()) throw reader.createError(start, `the heredoc ${word} does not end`)
  }
}

/** Reads a template up to the end of its text, in which backslashes have no meaning. */
export function readTemplateText(
  content: HclCursor,
  reader: TemplateReader,
): readonly TemplatePiece[] {
  return readPieces(content, reader, {
    text: /(?:[^$%]|[$%](?!\{)(?![$%]\{))+|\$\$\{|%%\{|[$%](?=[$%]\{)/y,
    isEnd: content.isAtEnd,
    takeEscape: () => undefined,
    createOpenError: () => reader.createError(content.place(), 'the template is invalid'),
  })
}

/** The rules for the pieces of a template. They differ for templates with and without quotes. */
interface TemplateRules {
  /** Matches plain text, or an escape without a backslash: `$${` is `${`, and `%%{` is `%{`. */
  readonly text: RegExp
  readonly isEnd: () => boolean
  /** Returns the character of an escape with a backslash, or undefined without one. */
  readonly takeEscape: () => string | undefined
  /** Creates the error for a template whose end is missing. */
  readonly createOpenError: () => Error
}

function readPieces(
  cursor: HclCursor,
  { createError, depth, splitNested }: TemplateReader,
  { text, isEnd, takeEscape: takeEscaped, createOpenError }: TemplateRules,
): readonly TemplatePiece[] {
  const pieces: TemplatePiece[] = []
  while (!isEnd()) {
    const place = cursor.place()
    const opening = cursor.take(/[$%]\{/y)
    if (opening !== undefined) {
      const kind = opening === '${' ? 'interpolation' : 'directive'
      pieces.push({ ...place, kind, tokens: splitNested(cursor, { createError, depth }) })
      continue
    }
    const plain = cursor.take(text) ?? takeEscaped()
    if (plain === undefined) throw createOpenError()
    pieces.push({ kind: 'text', text: /^([$%])\1\{$/.test(plain) ? plain.slice(1) : plain })
  }
  return pieces
}

function takeEscape(cursor: HclCursor, createError: HclErrorFactory): string | undefined {
  const place = cursor.place()
  const escape = cursor.take(/\\(?:u[0-9A-Fa-f]{4}|U[0-9A-Fa-f]{8}|.)/y)
  if (escape === undefined) return undefined
  if (escape.length > 2)
    return formatCharacter(escape, () => createError(place, `the escape ${escape} is unknown`))
  const value = escapes[escape.slice(1)]
  if (value === undefined) throw createError(place, `the escape ${escape} is unknown`)
  return value
}

function formatCharacter(escape: string, createError: () => Error): string {
  const code = Number.parseInt(escape.slice(2), 16)
  if (code > 0x10_ff_ff) throw createError()
  return String.fromCodePoint(code)
}

/** Removes the indentation that all lines with text have in common. */
function removeIndentation(lines: readonly string[]): readonly string[] {
  const widths = lines
    .filter(line => line.trim() !== '')
    .map(line => /^[ \t]*/.exec(line)?.[0].length ?? 0)
  const width = Math.min(...(widths.length === 0 ? [0] : widths))
  return lines.map(line => (line.trim() === '' ? '\n' : line.slice(width)))
}
