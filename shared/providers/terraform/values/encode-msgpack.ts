import { assert } from '../../../errors/error.ts'
import { conformanceErrorsOf } from './conformance.ts'
import { type CtyNumber, exactFloatOf, formatCtyNumber } from './cty-number.ts'
import type { CtyType } from './type-system.ts'
import type { CtyUnknown, CtyValue } from './cty-value.ts'
import { elementTypeOf } from './element-type-of.ts'
import { type MsgpackWriter, createMsgpackWriter } from './msgpack-writer.ts'
import {
  type NumberBound,
  type Refinements,
  refinedExtensionCode,
  refinementKeys,
} from './refinements.ts'
import { formatTypeJson } from './type-json.ts'

const encoder = new TextEncoder()
/** Longest prefix of an unknown string that is sent, in bytes. */
const prefixBytesMax = 256
/** Signed integers of 64 bits are below this number. */
const int64Limit = 2n ** 63n

/**
 * Encodes a value for a provider. The value must conform to the declared type of its schema, else
 * INTERNAL_ASSERTION is thrown.
 */
export function encodeMsgpack(value: CtyValue, declared: CtyType): Uint8Array {
  const [reason] = conformanceErrorsOf(value.type, declared)
  assert(reason === undefined, `a value does not conform to its schema: ${reason}`)
  const writer = createMsgpackWriter()
  writeValue(writer, value, declared)
  return writer.finish()
}

function writeValue(writer: MsgpackWriter, value: CtyValue, declared: CtyType): void {
  if (declared.kind === 'dynamic' && value.type.kind !== 'dynamic') {
    writer.writeArrayHeader(2)
    writer.writeBytes(encoder.encode(formatTypeJson(value.type)))
    writeValue(writer, value, value.type)
    return
  }
  switch (value.kind) {
    case 'null':
      return writer.writeNull()
    case 'unknown':
      return writeUnknown(writer, value)
    case 'string':
      return writer.writeText(value.text)
    case 'bool':
      return writer.writeBool(value.isTrue)
    case 'number':
      return writeNumber(writer, value.number)
    case 'list':
    case 'set':
    case 'tuple':
      writer.writeArrayHeader(value.elements.length)
      for (const [index, element] of value.elements.entries())
        writeValue(writer, element, elementTypeOf(declared, index))
      return
    case 'map':
    case 'object':
      writer.writeMapHeader(value.entries.size)
      for (const [key, part] of value.entries) {
        writer.writeText(key)
        writeValue(writer, part, elementTypeOf(declared, key))
      }
  }
}

function writeNumber(writer: MsgpackWriter, number: CtyNumber): void {
  if (typeof number === 'bigint') {
    if (number >= -int64Limit && number < int64Limit) writer.writeInteger(number)
    else writer.writeText(number.toString())
    return
  }
  if (number.kind === 'infinity') return writer.writeFloat(number.isNegative ? -Infinity : Infinity)
  const float = exactFloatOf(number)
  if (float === undefined) writer.writeText(formatCtyNumber(number))
  else writer.writeFloat(float)
}

function writeUnknown(writer: MsgpackWriter, { refinements }: CtyUnknown): void {
  const writers = refinementWritersOf(refinements)
  if (writers.length === 0) return writer.writeExtension(0, new Uint8Array(1))
  const payload = createMsgpackWriter()
  payload.writeMapHeader(writers.length)
  for (const [key, write] of writers) {
    payload.writeInteger(BigInt(key))
    write(payload)
  }
  writer.writeExtension(refinedExtensionCode, payload.finish())
}

type RefinementWriter = (writer: MsgpackWriter) => void

function refinementWritersOf(
  refinements: Refinements,
): readonly (readonly [number, RefinementWriter])[] {
  const { isNotNull, prefix, lowerBound, upperBound, lengthMin, lengthMax } = refinements
  const writers: (readonly [number, RefinementWriter])[] = []
  if (isNotNull === true) writers.push([refinementKeys.nullness, target => target.writeBool(false)])
  const sentPrefix = shortenPrefix(prefix ?? '')
  if (sentPrefix !== '')
    writers.push([refinementKeys.prefix, target => target.writeText(sentPrefix)])
  for (const [key, bound] of [
    [refinementKeys.lowerBound, lowerBound],
    [refinementKeys.upperBound, upperBound],
  ] as const)
    if (bound !== undefined) writers.push([key, target => writeBound(target, bound)])
  for (const [key, length] of [
    [refinementKeys.lengthMin, lengthMin],
    [refinementKeys.lengthMax, lengthMax],
  ] as const)
    if (length !== undefined) writers.push([key, target => target.writeInteger(BigInt(length))])
  return writers
}

function writeBound(writer: MsgpackWriter, { number, isInclusive }: NumberBound): void {
  writer.writeArrayHeader(2)
  writeNumber(writer, number)
  writer.writeBool(isInclusive)
}

/** A character that never combines with the text after it. A shortened prefix may end with it. */
const finalCharacter = /^[-_:;/\\,.(){}[\]|?!~ \t@#$%^&*+"']$/

/** Cuts a long prefix. Also removes the last character if more text could combine with it. */
function shortenPrefix(prefix: string): string {
  const bytes = encoder.encode(prefix)
  if (bytes.length <= prefixBytesMax) return prefix
  let end = prefixBytesMax - 1
  // A continuation byte at the cut belongs to a character that began before it.
  while (((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1
  const shortened = new TextDecoder().decode(bytes.subarray(0, end)).normalize('NFC')
  const characters = [...new Intl.Segmenter('en').segment(shortened)].map(({ segment }) => segment)
  const last = characters.at(-1) ?? ''
  return finalCharacter.test(last) ? shortened : shortened.slice(0, shortened.length - last.length)
}
