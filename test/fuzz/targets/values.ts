import { Struct } from '../../../proto/struct.ts'
import { createError, messageOf } from '../../../shared/errors/error.ts'
import { decodeStored, encodeStored } from '../../../shared/values/value-codec.ts'
import { decodeWire } from '../../../shared/values/decode-wire.ts'
import { encodeWire } from '../../../shared/values/encode-wire.ts'
import type { Json } from '../../../shared/values/json.ts'
import { isNestedDeeper, valueDepthMax } from '../../../shared/values/nesting.ts'
import { parseJson } from '../../../shared/values/parse-json.ts'
import { type FuzzTarget, requireLaw } from '../fuzz-target.ts'

const keep = (text: string): string => text
const seal = (plaintext: string): { readonly ciphertext: string } => ({ ciphertext: plaintext })
const options = {
  unknowns: 'keep',
  secrets: true,
  references: true,
  outputs: true,
  allowsByteStrings: true,
} as const

function checkStoredValue(json: Json): void {
  const encoded = encodeStored(decodeStored(json, keep), seal)
  const recoded = encodeStored(decodeStored(encoded, keep), seal)
  requireLaw(
    JSON.stringify(recoded) === JSON.stringify(encoded),
    'a stored value decodes to itself',
  )
}

/** Decodes a Struct. gRPC reports any error of this step as a failed call. */
function decodeStruct(input: Uint8Array): Record<string, unknown> {
  try {
    return Struct.decode(input)
  } catch (thrown) {
    const reason = messageOf(thrown)
    requireLaw(!reason.includes('call stack'), 'a Struct never overflows the stack')
    throw createError('VALUE_MALFORMED', `the bytes are no Struct: ${reason}`)
  }
}

function checkWireValue(fields: Record<string, unknown>): void {
  const wire = encodeWire(decodeWire(fields, options), options)
  const bytes = Buffer.from(Struct.encode(wire).finish())
  const recoded = encodeWire(decodeWire(Struct.decode(bytes), options), options)
  requireLaw(
    bytes.equals(Struct.encode(recoded).finish()),
    'a wire value has the same bytes after a second decoding',
  )
}

const wirePrefix = 'wire\n'

function parseInput(text: string): unknown {
  const json = parseJson(text)
  if (isNestedDeeper(json, valueDepthMax))
    throw createError('VALUE_MALFORMED', 'the input is nested deeper than a stored value')
  return json
}

/**
 * Values: the JSON of a value in a state, the bytes of a Struct, or a line `wire` and the JSON of a
 * Struct. A Struct is a value of the protocol between engine and plugins.
 */
export const valuesTarget: FuzzTarget = {
  decode(input) {
    const text = new TextDecoder().decode(input)
    if (text.startsWith(wirePrefix)) {
      const fields = parseInput(text.slice(wirePrefix.length))
      const isObject = typeof fields === 'object' && fields !== null && !Array.isArray(fields)
      return checkWireValue(decodeStruct(Struct.encode(isObject ? { ...fields } : {}).finish()))
    }
    const json = parseJson(text)
    if (json === undefined) return checkWireValue(decodeStruct(input))
    return checkStoredValue(json as Json)
  },
}
