import type { HclToken } from './hcl-token.ts'
import type { HclExpression, HclItem } from './syntax.ts'
import type { ParseExpression, TokenReader } from './token-reader.ts'

/** Parses a list or `[for …]` after its bracket. Throws TERRAFORM_FILE_INVALID. */
export function parseBracket(
  { line, column }: HclToken,
  reader: TokenReader,
  parse: ParseExpression,
): HclExpression {
  return reader.withNewlines('ignored', () => {
    if (isForNext(reader)) return parseFor({ line, column }, reader, ']', parse)
    const items: HclExpression[] = []
    while (!reader.skip(']')) {
      items.push(parse(reader))
      if (!reader.skip(',') && !reader.isNext(']')) throw reader.createTokenError(reader.peek())
    }
    return { line, column, kind: 'tuple', items }
  })
}

/** Parses an object or `{for …}` after its brace. Throws TERRAFORM_FILE_INVALID. */
export function parseBrace(
  { line, column }: HclToken,
  reader: TokenReader,
  parse: ParseExpression,
): HclExpression {
  const loop = reader.withNewlines('ignored', () =>
    isForNext(reader) ? parseFor({ line, column }, reader, '}', parse) : undefined,
  )
  if (loop !== undefined) return loop
  return reader.withNewlines('tokens', () => {
    const items: HclItem[] = []
    for (;;) {
      reader.skipNewlines()
      if (reader.skip('}')) return { line, column, kind: 'object', items }
      items.push(parseItem(reader, parse))
      const isSeparated = reader.skip(',') || reader.skipNewlines()
      if (!isSeparated && !reader.isNext('}')) throw reader.createTokenError(reader.peek())
    }
  })
}

function parseItem(reader: TokenReader, parse: ParseExpression): HclItem {
  const key = toKey(parse(reader))
  if (!reader.skip('=') && !reader.skip(':')) throw reader.createTokenError(reader.peek())
  return { key, value: parse(reader) }
}

/** Returns the expression of an object's key. A bare name is a text, and not a reference. */
function toKey(key: HclExpression): HclExpression {
  const { line, column } = key
  if (key.kind === 'name') return { line, column, kind: 'template', parts: [key.name] }
  if (key.kind === 'boolean' || key.kind === 'null') {
    const text = key.kind === 'null' ? 'null' : String(key.value)
    return { line, column, kind: 'template', parts: [text] }
  }
  return key
}

function isForNext(reader: TokenReader): boolean {
  const { kind, text } = reader.peek()
  return kind === 'name' && text === 'for'
}

function parseFor(
  place: { readonly line: number; readonly column: number },
  reader: TokenReader,
  ending: ']' | '}',
  parse: ParseExpression,
): HclExpression {
  reader.next()
  const header = parseForHeader(reader, parse)
  reader.expect(':')
  const first = parse(reader)
  const isObject = ending === '}'
  if (isObject) reader.expect('=>')
  const value = isObject ? parse(reader) : first
  const isGrouped = isObject && reader.skip('...')
  const condition = skipName(reader, 'if') ? parse(reader) : undefined
  reader.expect(ending)
  const key = isObject ? first : undefined
  return { ...place, kind: 'for', ...header, key, value, isGrouped, condition }
}

/** Parses `key, value in collection`. */
export function parseForHeader(
  reader: TokenReader,
  parse: ParseExpression,
): {
  readonly keyName: string | undefined
  readonly valueName: string
  readonly collection: HclExpression
} {
  const first = readName(reader)
  const second = reader.skip(',') ? readName(reader) : undefined
  if (!skipName(reader, 'in')) throw reader.createTokenError(reader.peek())
  const collection = parse(reader)
  return second === undefined
    ? { keyName: undefined, valueName: first, collection }
    : { keyName: first, valueName: second, collection }
}

function readName(reader: TokenReader): string {
  const token = reader.next()
  if (token.kind !== 'name') throw reader.createTokenError(token)
  return token.text
}

function skipName(reader: TokenReader, name: string): boolean {
  const { kind, text } = reader.peek()
  const isFound = kind === 'name' && text === name
  if (isFound) reader.next()
  return isFound
}
