import { error } from '../../shared/errors/error.ts'

/**
 * The body of a request, read no further than it may go, whatever it says of its length. Throws
 * API_BODY_TOO_LARGE.
 */
export async function readRequestBody(request: Request, bytesMax: number): Promise<Uint8Array> {
  const tooLargeError = (): Error =>
    error('API_BODY_TOO_LARGE', `the body may have ${bytesMax} bytes`, { details: { bytesMax } })
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLargeError()
  if (request.body === null) return new Uint8Array()
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of request.body) {
    size += chunk.length
    if (size > bytesMax) throw tooLargeError()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** The JSON of a body; undefined for none. Throws API_INPUT_INVALID, API_BODY_TOO_LARGE. */
export async function readRequestJson(request: Request, bytesMax: number): Promise<unknown> {
  const bytes = await readRequestBody(request, bytesMax)
  if (bytes.length === 0) return undefined
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch (cause) {
    throw error('API_INPUT_INVALID', 'the body is no JSON', { cause })
  }
}
