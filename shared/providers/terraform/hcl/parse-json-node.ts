import { createCursor, type HclCursor } from './hcl-cursor.ts'
import { createHclErrorFactory, type HclErrorFactory, maxHclDepth } from './hcl-token.ts'
import type { HclPlace } from './syntax.ts'

/** A value of a JSON text, with its place. */
export type JsonNode = HclPlace & JsonNodeKind

type JsonNodeKind =
  | { readonly kind: 'null' }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'string'; readonly text: string }
  | { readonly kind: 'array'; readonly items: readonly JsonNode[] }
  | { readonly kind: 'object'; readonly members: readonly JsonMember[] }

/** A member of an object. An object may have several members with one key. */
export interface JsonMember extends HclPlace {
  readonly key: string
  readonly value: JsonNode
}

const space = /[ \t\r\n]+/y
const quoted = /"(?:[^"\\\u0000-\u001F]|\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4}))*"/y
const numeral = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const word = /null|true|false/y

/** Parses a JSON text. `file` is its name for messages. Throws TERRAFORM_FILE_INVALID. */
export function parseJsonNode(text: string, file: string): JsonNode {
  const createError = createHclErrorFactory(file)
  const cursor = createCursor(text)
  const node = readNode({ cursor, createError, depth: 0 })
  if (!cursor.isAtEnd()) throw createUnexpectedError({ cursor, createError })
  return node
}

interface JsonReader {
  readonly cursor: HclCursor
  readonly createError: HclErrorFactory
  readonly depth: number
}

function createUnexpectedError({
  cursor,
  createError,
}: Pick<JsonReader, 'cursor' | 'createError'>): Error {
  const problem = cursor.isAtEnd()
    ? 'the text ends too early'
    : `'${cursor.peekText()}' is not expected`
  return createError(cursor.place(), problem)
}

function readNode(reader: JsonReader): JsonNode {
  const { cursor, createError, depth } = reader
  cursor.take(space)
  const place = cursor.place()
  if (depth > maxHclDepth) throw createError(place, 'the nesting is too deep')
  const node = { ...place, ...readKind({ ...reader, depth: depth + 1 }) }
  cursor.take(space)
  return node
}

function readKind(reader: JsonReader): JsonNodeKind {
  const { cursor } = reader
  if (skip(cursor, /\{/y)) return { kind: 'object', members: readMembers(reader) }
  if (skip(cursor, /\[/y)) return { kind: 'array', items: readItems(reader) }
  const text = cursor.take(quoted)
  if (text !== undefined) return { kind: 'string', text: decodeText(text) }
  const number = cursor.take(numeral)
  if (number !== undefined) return { kind: 'number', text: number }
  const name = cursor.take(word)
  if (name === undefined) throw createUnexpectedError(reader)
  return name === 'null' ? { kind: 'null' } : { kind: 'boolean', value: name === 'true' }
}

function readItems(reader: JsonReader): readonly JsonNode[] {
  const { cursor } = reader
  const items: JsonNode[] = []
  cursor.take(space)
  if (skip(cursor, /\]/y)) return items
  do items.push(readNode(reader))
  while (skip(cursor, /,/y))
  if (!skip(cursor, /\]/y)) throw createUnexpectedError(reader)
  return items
}

function readMembers(reader: JsonReader): readonly JsonMember[] {
  const { cursor } = reader
  const members: JsonMember[] = []
  cursor.take(space)
  if (skip(cursor, /\}/y)) return members
  do {
    cursor.take(space)
    const place = cursor.place()
    const key = cursor.take(quoted)
    if (key === undefined) throw createUnexpectedError(reader)
    cursor.take(space)
    if (!skip(cursor, /:/y)) throw createUnexpectedError(reader)
    members.push({ ...place, key: decodeText(key), value: readNode(reader) })
  } while (skip(cursor, /,/y))
  if (!skip(cursor, /\}/y)) throw createUnexpectedError(reader)
  return members
}

function skip(cursor: HclCursor, mark: RegExp): boolean {
  return cursor.take(mark) !== undefined
}

/** Returns the text of a string in quotes, whose escapes the pattern `quoted` has checked. */
function decodeText(source: string): string {
  return String(JSON.parse(source))
}
