import { createGunzip } from 'node:zlib'
import { error } from '../../../shared/errors/error.ts'
import { documentDepthMax, isNestedDeeper } from '../../../shared/values/nesting.ts'
import { readRequestBody } from '../read-body.ts'

/** The body of a call, unpacked. `json` is undefined for an empty body. */
export interface ServiceBody {
  readonly text: string
  readonly json: unknown
}

/** Maximum nesting depth of a body: that of a state, and of the fields of the body around it. */
const bodyDepthMax = documentDepthMax + 8

/**
 * Reads a body, and unpacks it if its header says so. Throws API_BODY_TOO_LARGE when the body
 * exceeds the limit before or after it is unpacked, and API_INPUT_INVALID for damaged, malformed
 * or deeply nested bodies.
 */
export async function readServiceBody(request: Request, bytesMax: number): Promise<ServiceBody> {
  const bytes = await readRequestBody(request, bytesMax)
  const encoding = request.headers.get('content-encoding') ?? 'identity'
  const unpackedBytes = /^x?-?gzip$/i.test(encoding) ? await unpack(bytes, bytesMax) : bytes
  const text = new TextDecoder().decode(unpackedBytes)
  if (text.trim() === '') return { text, json: undefined }
  const json = parseBodyText(text)
  if (isNestedDeeper(json, bodyDepthMax))
    throw error('API_INPUT_INVALID', `the body is nested deeper than ${bodyDepthMax} levels`)
  return { text, json }
}

function parseBodyText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw error('API_INPUT_INVALID', 'the body is not valid JSON', { cause })
  }
}

/** Unpacks bytes, and stops as soon as the result exceeds the limit. */
async function unpack(bytes: Uint8Array, bytesMax: number): Promise<Uint8Array> {
  const gunzip = createGunzip()
  gunzip.end(bytes)
  const chunks: Uint8Array[] = []
  let sizeBytes = 0
  try {
    for await (const chunk of gunzip as AsyncIterable<Uint8Array>) {
      sizeBytes += chunk.length
      if (sizeBytes > bytesMax) break
      chunks.push(chunk)
    }
  } catch (cause) {
    const reason = isConverted(bytes) ? 'it was converted to text on its way' : 'it is damaged'
    throw error('API_INPUT_INVALID', `the body cannot be unpacked: ${reason}`, { cause })
  }
  if (sizeBytes > bytesMax)
    throw error('API_BODY_TOO_LARGE', `the unpacked body exceeds the limit of ${bytesMax} bytes`, {
      details: { bytesMax },
    })
  return Buffer.concat(chunks)
}

/** Reports whether a gateway has read packed bytes as UTF-8, with U+FFFD for the second byte. */
function isConverted(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).equals(Buffer.from('\u001f\ufffd'))
}
