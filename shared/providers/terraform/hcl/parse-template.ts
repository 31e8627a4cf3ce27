import { parseForHeader } from './parse-collection.ts'
import type { HclToken, TemplatePiece } from './hcl-token.ts'
import type { HclExpression, HclPlace } from './syntax.ts'
import type { ParseExpression, TokenReader } from './token-reader.ts'

type Part = string | HclExpression

/** The remaining pieces of a template. */
interface PieceReader {
  readonly peek: () => TemplatePiece | undefined
  readonly next: () => TemplatePiece | undefined
  readonly place: HclPlace
  readonly reader: TokenReader
  readonly parse: ParseExpression
}

/**
 * Parses a template. `%{ if }` becomes a conditional, and `%{ for }` a call of `join`. Throws
 * TERRAFORM_FILE_INVALID.
 */
export function parseTemplate(
  token: HclToken,
  reader: TokenReader,
  parse: ParseExpression,
): HclExpression {
  const pieces = trimPieces(token.pieces)
  let position = 0
  const { line, column } = token
  const pieceReader: PieceReader = {
    peek: () => pieces[position],
    next: () => pieces[position++],
    place: { line, column },
    reader,
    parse,
  }
  const parts = readParts(pieceReader, [])
  if (pieceReader.peek() !== undefined)
    throw reader.createTokenError(token, 'a directive has no beginning')
  return createTemplate({ line, column }, parts)
}

function createTemplate({ line, column }: HclPlace, parts: readonly Part[]): HclExpression {
  const merged: Part[] = []
  for (const part of parts) {
    const last = merged.at(-1)
    if (typeof part === 'string' && typeof last === 'string') merged.splice(-1, 1, `${last}${part}`)
    else if (part !== '') merged.push(part)
  }
  return { line, column, kind: 'template', parts: merged }
}

/** Reads parts up to one of the directives in `endings`. Without endings, reads up to the end. */
function readParts(pieces: PieceReader, endings: readonly string[]): readonly Part[] {
  const parts: Part[] = []
  for (let piece = pieces.peek(); piece !== undefined; piece = pieces.peek()) {
    if (piece.kind === 'directive' && endings.includes(nameOf(piece))) return parts
    pieces.next()
    if (piece.kind === 'text') parts.push(piece.text)
    else if (piece.kind === 'interpolation') parts.push(parseInterpolation(piece, pieces))
    else parts.push(pieces.reader.nest(() => parseDirective(piece, pieces)))
  }
  if (endings.length > 0)
    throw pieces.reader.createPlaceError(
      pieces.place,
      `a directive ${endings.join(' or ')} is missing`,
    )
  return parts
}

/** An interpolation or a directive. */
type Sequence = Exclude<TemplatePiece, { readonly kind: 'text' }>

function nameOf({ tokens }: Sequence): string {
  return tokens[0]?.text ?? ''
}

function parseDirective(piece: Sequence, pieces: PieceReader): HclExpression {
  const { line, column } = piece
  const name = nameOf(piece)
  const { reader, parse } = pieces
  const inner = createSequenceReader({ ...piece, tokens: piece.tokens.slice(1) }, reader)
  if (name === 'if') {
    const condition = parse(inner)
    const yes = createTemplate(piece, readParts(pieces, ['else', 'endif']))
    const next = pieces.next()
    const hasElse = next !== undefined && next.kind !== 'text' && nameOf(next) === 'else'
    const no = createTemplate(piece, hasElse ? readParts(pieces, ['endif']) : [])
    if (hasElse) pieces.next()
    return { line, column, kind: 'conditional', condition, yes, no }
  }
  if (name !== 'for')
    throw reader.createPlaceError(piece, `the directive '${name}' is not expected`)
  const header = parseForHeader(inner, parse)
  const value = createTemplate(piece, readParts(pieces, ['endfor']))
  pieces.next()
  const list: HclExpression = {
    line,
    column,
    kind: 'for',
    ...header,
    key: undefined,
    value,
    isGrouped: false,
    condition: undefined,
  }
  const separator = createTemplate(piece, [])
  return { line, column, kind: 'call', name: 'join', args: [separator, list], isExpanded: false }
}

function parseInterpolation(
  piece: Sequence,
  { reader, parse }: Pick<PieceReader, 'reader' | 'parse'>,
): HclExpression {
  return reader.nest(() => {
    const inner = createSequenceReader(piece, reader)
    return inner.withNewlines('ignored', () => {
      const expression = parse(inner)
      if (inner.peek().kind !== 'end') throw inner.createTokenError(inner.peek())
      return expression
    })
  })
}

function createSequenceReader({ tokens }: Sequence, reader: TokenReader): TokenReader {
  return reader.createInner(tokens.filter(({ kind }) => kind !== 'newline'))
}

/**
 * Applies the marks `~`, which remove the space before or after a sequence. The last token of a
 * sequence is `end`, so a mark at its end is the last token but one.
 */
function trimPieces(pieces: readonly TemplatePiece[]): readonly TemplatePiece[] {
  const isTilde = (token: HclToken | undefined): boolean => token?.text === '~'
  return pieces.map((piece, index) => {
    if (piece.kind !== 'text')
      return {
        ...piece,
        tokens: piece.tokens.filter(
          (token, at) => !(isTilde(token) && (at === 0 || at === piece.tokens.length - 2)),
        ),
      }
    const [before, after] = [pieces[index - 1], pieces[index + 1]]
    let { text } = piece
    if (before !== undefined && before.kind !== 'text' && isTilde(before.tokens.at(-2)))
      text = text.trimStart()
    if (after !== undefined && after.kind !== 'text' && isTilde(after.tokens[0]))
      text = text.trimEnd()
    return { ...piece, text }
  })
}
