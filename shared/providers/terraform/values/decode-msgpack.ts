import { listOf, mapOf, objectOf, setOf, tupleOf } from './build-value.ts'
import { type CtyStep, createAttributeStep, createIndexStep, createKeyStep } from './cty-path.ts'
import {
  type CollectionType,
  type CtyType,
  type ObjectType,
  type TupleType,
  containsDynamic,
  describeType,
} from './type-system.ts'
import { type CtyValue, boolOf, nullOf, numberOf, stringOf } from './cty-value.ts'
import { readMsgpackNumber, readUnknown } from './decode-unknown.ts'
import { type MsgpackReader, createMsgpackReader } from './msgpack-reader.ts'
import { checkDepth, createProviderBug } from './provider-bug.ts'
import { parseTypeJson } from './type-json.ts'

/** The input with the path to the value that is being read. */
interface DecodingCursor {
  readonly reader: MsgpackReader
  readonly path: CtyStep[]
}

/**
 * Decodes a value that a provider sent for a declared type. The type of the result conforms to the
 * declared one. Throws TERRAFORM_PROVIDER_BUG, usually with the path of the wrong part.
 */
export function decodeMsgpack(bytes: Uint8Array, declared: CtyType): CtyValue {
  const cursor: DecodingCursor = { reader: createMsgpackReader(bytes), path: [] }
  const value = readValue(cursor, declared)
  if (!cursor.reader.isAtEnd())
    throw createProviderBug('the provider sent more bytes after the end of a value')
  return value
}

function readValue(cursor: DecodingCursor, declared: CtyType): CtyValue {
  const { reader, path } = cursor
  checkDepth(path.length)
  const kind = reader.peekKind()
  if (kind === 'extension') return readUnknown(reader, declared, path)
  if (kind === 'null') {
    reader.readNull()
    return nullOf(declared)
  }
  switch (declared.kind) {
    case 'dynamic':
      return readDynamic(cursor)
    case 'string':
      if (kind !== 'text') break
      return stringOf(reader.readText())
    case 'bool':
      if (kind !== 'bool') break
      return boolOf(reader.readBool())
    case 'number': {
      const number = readMsgpackNumber(reader)
      if (number === undefined) break
      return numberOf(number)
    }
    case 'list':
    case 'set':
    case 'tuple':
      if (kind !== 'array') break
      return readSequence(cursor, declared)
    case 'map':
      if (kind !== 'map') break
      return readMap(cursor, declared.element)
    case 'object':
      if (kind !== 'map') break
      return readObject(cursor, declared)
  }
  throw createProviderBug(
    `${describeType(declared)} is required, but the provider sent ${kind}`,
    path,
  )
}

/** Reads a part. During the read, `path` ends with its step, for messages of errors. */
function readPart(cursor: DecodingCursor, step: CtyStep, declared: CtyType): CtyValue {
  cursor.path.push(step)
  const value = readValue(cursor, declared)
  cursor.path.pop()
  return value
}

function readDynamic(cursor: DecodingCursor): CtyValue {
  const { reader, path } = cursor
  if (
    reader.peekKind() !== 'array' ||
    reader.readArrayHeader() !== 2 ||
    reader.peekKind() !== 'text'
  )
    throw createProviderBug('a value with its type is required', path)
  const type = parseTypeJson(reader.readText())
  // A typed value directly inside a typed value would add a level without a step in `path`, so
  // `checkDepth` would not count it. A null or an unknown of the dynamic type adds no level.
  if (type.kind === 'dynamic' && reader.peekKind() === 'array')
    throw createProviderBug('a type other than the dynamic one is required', path)
  return readValue(cursor, type)
}

function readSequence(cursor: DecodingCursor, declared: CollectionType | TupleType): CtyValue {
  const length = cursor.reader.readArrayHeader()
  if (declared.kind === 'tuple') {
    if (length !== declared.elements.length)
      throw createProviderBug(
        `${declared.elements.length} elements are required, but the provider sent ${length}`,
        cursor.path,
      )
    return tupleOf(
      declared.elements.map((type, index) => readPart(cursor, createIndexStep(index), type)),
    )
  }
  const { element } = declared
  const elements: CtyValue[] = []
  for (let index = 0; index < length; index++) {
    const step: CtyStep =
      declared.kind === 'set' ? { kind: 'element', position: index } : createIndexStep(index)
    elements.push(readPart(cursor, step, element))
  }
  return declared.kind === 'set'
    ? setOf(elements, element, cursor.path)
    : listOf(elements, element, cursor.path)
}

function readMap(cursor: DecodingCursor, element: CtyType): CtyValue {
  const entries = new Map<string, CtyValue>()
  for (let count = cursor.reader.readMapHeader(); count > 0; count -= 1) {
    const key = readKey(cursor)
    if (entries.has(key))
      throw createProviderBug(`the provider sent the key '${key}' twice`, cursor.path)
    entries.set(key, readPart(cursor, createKeyStep(key), element))
  }
  return mapOf(entries, element, cursor.path)
}

function readObject(cursor: DecodingCursor, declared: ObjectType): CtyValue {
  const size = cursor.reader.readMapHeader()
  if (size !== declared.attributes.size)
    throw createProviderBug(
      `an object with ${declared.attributes.size} attributes is required, but the provider sent ${size}`,
      cursor.path,
    )
  const entries = new Map<string, CtyValue>()
  for (let count = size; count > 0; count -= 1) {
    const name = readKey(cursor)
    const type = declared.attributes.get(name)
    if (type === undefined || entries.has(name))
      throw createProviderBug(
        `the attribute '${name}' ${type === undefined ? 'is not supported' : 'was sent twice'}`,
        cursor.path,
      )
    entries.set(name, readPart(cursor, createAttributeStep(name), type))
  }
  // With dynamic attributes, the type of the object results from its values.
  if (containsDynamic(declared)) return objectOf(entries)
  const inDeclaredOrder = [...declared.attributes.keys()].flatMap(name => {
    const value = entries.get(name)
    return value === undefined ? [] : [[name, value] as const]
  })
  return { kind: 'object', type: declared, entries: new Map(inDeclaredOrder) }
}

function readKey({ reader, path }: DecodingCursor): string {
  if (reader.peekKind() !== 'text') throw createProviderBug('all keys must be strings', path)
  return reader.readText().normalize('NFC')
}
