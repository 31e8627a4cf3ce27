import { parseWholeExpression } from './parse-expression.ts'
import { createHclErrorFactory, type HclToken } from './hcl-token.ts'
import { splitHcl } from './split-hcl.ts'
import type { HclExpression, HclSyntaxBlock, HclSyntaxBody } from './syntax.ts'
import { createTokenReader, type TokenReader } from './token-reader.ts'

/**
 * The separation of attributes. `lines`: each attribute ends its line, as in programs. `free`: a
 * line may have several attributes, and their names may be in quotes, as in old settings files.
 */
export type HclSeparation = 'lines' | 'free'

/** Parses a file. `file` is its name for messages. Throws TERRAFORM_FILE_INVALID. */
export function parseHclBody(
  text: string,
  file: string,
  separation: HclSeparation = 'lines',
): HclSyntaxBody {
  const createError = createHclErrorFactory(file)
  const reader = createTokenReader(splitHcl(text, createError), createError)
  return readBody(reader, 'end', separation)
}

function readBody(
  reader: TokenReader,
  ending: '}' | 'end',
  separation: HclSeparation,
): HclSyntaxBody {
  const attributes = new Map<string, HclExpression>()
  const blocks: HclSyntaxBlock[] = []
  for (;;) {
    reader.skipNewlines()
    if (ending === '}' ? reader.skip('}') : reader.peek().kind === 'end')
      return { attributes, blocks }
    const key = reader.next()
    const name = readLabel(key, reader)
    if (reader.skip('=')) {
      if (key.kind !== 'name' && separation === 'lines') throw reader.createTokenError(key)
      if (attributes.has(name)) throw reader.createTokenError(key, `'${name}' is set twice`)
      attributes.set(name, parseWholeExpression(reader))
    } else blocks.push(readBlock(key, reader, separation))
    requireEnd(reader, separation)
  }
}

/**
 * Requires the end of a line, or of the body, after an attribute or block. With the separation
 * `free`, only skips a comma.
 */
function requireEnd(reader: TokenReader, separation: HclSeparation): void {
  if (separation === 'free') {
    reader.skip(',')
    return
  }
  const next = reader.peek()
  if (next.kind !== 'newline' && next.kind !== 'end' && !reader.isNext('}'))
    throw reader.createTokenError(next)
}

function readBlock(
  { line, column, text: type }: HclToken,
  reader: TokenReader,
  separation: HclSeparation,
): HclSyntaxBlock {
  const labels: string[] = []
  while (!reader.skip('{')) labels.push(readLabel(reader.next(), reader))
  const body = reader.nest(() => readBody(reader, '}', separation))
  return { line, column, type, labels, body }
}

/** Returns a name, or the text between quotes, which must not contain a template. */
function readLabel(token: HclToken, reader: TokenReader): string {
  if (token.kind === 'name') return token.text
  if (token.kind !== 'template' || token.text !== '"') throw reader.createTokenError(token)
  return token.pieces
    .map(piece => {
      if (piece.kind === 'text') return piece.text
      throw reader.createTokenError(token, 'templates are not possible here')
    })
    .join('')
}
