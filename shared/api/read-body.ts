import { buffer } from 'node:stream/consumers'
import { createError } from '../errors/error.ts'
import { documentDepthMax, isNestedDeeper } from '../values/nesting.ts'

/**
 * Reads the body of a request in chunks. Throws API_BODY_TOO_LARGE if its length, or the length in
 * the header content-length, exceeds the limit.
 */
export async function* readBodyChunks(
  request: Request,
  bytesMax: number,
): AsyncGenerator<Uint8Array> {
  const createTooLargeError = (): Error =>
    createError('API_BODY_TOO_LARGE', `the body exceeds the limit of ${bytesMax} bytes`, {
      details: { bytesMax },
    })
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw createTooLargeError()
  let sizeBytes = 0
  for await (const chunk of request.body ?? []) {
    sizeBytes += chunk.length
    if (sizeBytes > bytesMax) throw createTooLargeError()
    yield chunk
  }
}

/** Reads the body of a request. Throws API_BODY_TOO_LARGE. */
export async function readRequestBody(request: Request, bytesMax: number): Promise<Uint8Array> {
  return buffer(readBodyChunks(request, bytesMax))
}

/**
 * Reads the JSON of a body. Returns undefined for an empty body. Throws API_INPUT_INVALID,
 * API_BODY_TOO_LARGE.
 */
export async function readRequestJson(request: Request, bytesMax: number): Promise<unknown> {
  const bytes = await readRequestBody(request, bytesMax)
  if (bytes.length === 0) return undefined
  const json = parseJson(bytes)
  if (isNestedDeeper(json, documentDepthMax))
    throw createError(
      'API_INPUT_INVALID',
      `the body is nested deeper than ${documentDepthMax} levels`,
    )
  return json
}

function parseJson(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw createError('API_INPUT_INVALID', 'the body is not valid JSON', { cause })
  }
}
