import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip } from 'node:zlib'
import { createError, hasCode } from '../errors/error.ts'
import { documentDepthMax, isNestedDeeper } from '../values/nesting.ts'
import { toPrintable } from '../triggers/printable.ts'
import { readBodyChunks } from '../api/read-body.ts'

/** The body of a call, unpacked. `json` is undefined for an empty body. */
export interface ServiceBody {
  readonly text: string
  readonly json: unknown
}

/**
 * The start of a gzip body (1f 8b) after a gateway has converted it to text: 8b is not valid UTF-8,
 * and became U+FFFD.
 */
const convertedGzipStart = Buffer.from('\u001f\ufffd')

/** Maximum nesting depth of a body: that of a state, and of the fields of the body around it. */
const bodyDepthMax = documentDepthMax + 8

/**
 * Reads a body, and unpacks it if its header says so. Throws the errors of `unpackBody`, and
 * API_INPUT_INVALID for malformed or deeply nested bodies.
 */
export async function readServiceBody(request: Request, bytesMax: number): Promise<ServiceBody> {
  const bytes = await buffer(unpackBody(request, bytesMax))
  const text = new TextDecoder().decode(bytes)
  if (text.trim() === '') return { text, json: undefined }
  const json = parseBodyText(text)
  if (isNestedDeeper(json, bodyDepthMax))
    throw createError('API_INPUT_INVALID', `the body is nested deeper than ${bodyDepthMax} levels`)
  return { text, json }
}

function parseBodyText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw createError('API_INPUT_INVALID', 'the body is not valid JSON', { cause })
  }
}

/**
 * Reads a body in chunks, unpacked if its header says so. Throws API_BODY_TOO_LARGE as soon as the
 * packed or the unpacked body exceeds the limit, and API_INPUT_INVALID if the body is damaged.
 * Throws API_ENCODING_UNKNOWN for every encoding except gzip.
 */
export async function* unpackBody(request: Request, bytesMax: number): AsyncGenerator<Uint8Array> {
  const chunks = readBodyChunks(request, bytesMax)
  const encoding = request.headers.get('content-encoding')?.trim() ?? ''
  if (/^(?:identity)?$/i.test(encoding)) return yield* chunks
  if (!/^(?:x-)?gzip$/i.test(encoding))
    throw createError(
      'API_ENCODING_UNKNOWN',
      `the body has the content encoding '${toPrintable(encoding, 60)}', which the service cannot unpack`,
    )
  let firstBytes = Buffer.alloc(0)
  const rememberFirstBytes = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      if (firstBytes.length < convertedGzipStart.length)
        firstBytes = Buffer.concat([firstBytes, chunk]).subarray(0, convertedGzipStart.length)
      yield chunk
    }
  }
  const source = Readable.from(rememberFirstBytes())
  const gunzip = createGunzip()
  source.on('error', thrown => gunzip.destroy(thrown))
  let sizeBytes = 0
  try {
    for await (const chunk of source.pipe(gunzip) as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.length
      if (sizeBytes > bytesMax) break
      yield chunk
    }
  } catch (cause) {
    if (hasCode(cause, 'API_BODY_TOO_LARGE')) throw cause
    const isConverted = firstBytes.equals(convertedGzipStart)
    const reason = isConverted ? 'it was converted to text on its way' : 'it is damaged'
    throw createError('API_INPUT_INVALID', `the body cannot be unpacked: ${reason}`, { cause })
  } finally {
    source.destroy()
  }
  if (sizeBytes > bytesMax)
    throw createError(
      'API_BODY_TOO_LARGE',
      `the unpacked body exceeds the limit of ${bytesMax} bytes`,
      {
        details: { bytesMax },
      },
    )
}
