import { status } from '@grpc/grpc-js'
import { createError, messageOf } from '../../shared/errors/error.ts'
import { parseJson } from '../../shared/values/parse-json.ts'
import { requireLaw } from './fuzz-target.ts'

/** A message in protobuf. Its generated code is written by ts-proto. */
export interface AnswerMessage {
  readonly encode: (message: never) => { readonly finish: () => Uint8Array }
  readonly fromPartial: (message: never) => unknown
}

/**
 * Returns the bytes of an answer. An input that begins with `{` is the JSON of the message. There,
 * `{"@map": {…}}` is a map, `{"@json": …}` the bytes of a JSON text, and `{"@base64": …}` bytes.
 * Any other input is the message in protobuf. Throws VALUE_MALFORMED for JSON without a message.
 */
export function encodeAnswer(message: AnswerMessage, input: Uint8Array): Buffer {
  const bytes = Buffer.from(input)
  const json = bytes[0] === 0x7b ? parseJson(bytes.toString('utf8')) : undefined
  if (json === undefined) return bytes
  try {
    const answer = message.fromPartial(JSON.parse(bytes.toString('utf8'), readMark) as never)
    return Buffer.from(message.encode(answer as never).finish())
  } catch (thrown) {
    throw createError('VALUE_MALFORMED', `the input is no message: ${messageOf(thrown)}`)
  }
}

function readMark(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const fields = new Map<string, unknown>(Object.entries(value))
  const [first] = fields.keys()
  if (fields.size !== 1 || first === undefined) return value
  const content = fields.get(first)
  if (first === '@map') return new Map(Object.entries(Object(content) as object))
  if (first === '@json') return Buffer.from(JSON.stringify(content) ?? '')
  return first === '@base64' ? Buffer.from(String(content), 'base64') : value
}

const noMetadata = { getMap: () => ({}), get: () => [] }

/** Decodes an answer as gRPC does: a failed decoding is the status INTERNAL. */
export function decodeAnswer<Answer>(decode: (bytes: Buffer) => Answer, bytes: Buffer): Answer {
  try {
    return decode(bytes)
  } catch (thrown) {
    requireLaw(!messageOf(thrown).includes('call stack'), 'no answer overflows the stack')
    const details = `Error deserializing the answer: ${messageOf(thrown)}`
    throw Object.assign(new Error(details), {
      code: status.INTERNAL,
      details,
      metadata: noMetadata,
    })
  }
}
