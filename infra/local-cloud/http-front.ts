import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import { error, messageOf } from '../../shared/errors/error.ts'
import { type HttpEvent, type HttpReply, createGatewayReply, httpEventOf } from './http-payload.ts'

/** The HTTP address of a function: the route of an HTTP API, or a function URL. */
export interface HttpFrontOptions {
  /** The loopback port; 0: a free one. */
  readonly port: number
  /**
   * The route in the syntax of HTTP APIs, such as `POST /hooks/{hook}`; `$default` accepts
   * everything.
   */
  readonly routeKey: string
  /**
   * Calls the function. `signal` aborts when the client disconnects. The reply may be streamed;
   * `toHttpReply` creates one from a function's result.
   */
  readonly invoke: (event: HttpEvent, signal: AbortSignal) => Promise<HttpReply>
  /** Receives errors beside the response, for users. */
  readonly onFailure: (why: string) => void
}

/** A listening address. */
export interface HttpFront {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  /** Closes every connection. */
  readonly close: () => Promise<void>
}

/**
 * Listens on loopback, and converts HTTP requests into function calls and their results into
 * responses. It refuses the same as API Gateway: an unknown route is 404, and a body above its
 * limit or Lambda's is 413. Throws CLI_USAGE when the port is unavailable.
 */
export async function startHttpFront(options: HttpFrontOptions): Promise<HttpFront> {
  const takes = createRouteMatcher(options.routeKey)
  const server = createServer((request, response) => {
    const gone = new AbortController()
    response.once('close', () => gone.abort())
    void replyToRequest(options, takes, request, gone.signal)
      .then(reply => sendReply(response, reply))
      .catch((thrown: unknown) => {
        response.destroy()
        if (!gone.signal.aborted) options.onFailure(messageOf(thrown))
      })
  })
  const listening = Promise.withResolvers<void>()
  server.once('error', listening.reject)
  server.listen(options.port, '127.0.0.1', listening.resolve)
  await listening.promise.catch((cause: unknown) => {
    const where = `127.0.0.1:${options.port}`
    throw error('CLI_USAGE', `cannot listen at ${where}: ${messageOf(cause)}`, { cause })
  })
  const found = server.address()
  const port = typeof found === 'object' && found !== null ? found.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const closed = new Promise<void>(done => server.close(() => done()))
      server.closeAllConnections()
      await closed
    },
  }
}

type RouteMatcher = (method: string, path: string) => boolean

/** Creates the matcher of a route. A part in braces matches one part of a path. */
function createRouteMatcher(routeKey: string): RouteMatcher {
  if (routeKey === '$default') return () => true
  const [method = '', path = ''] = routeKey.split(' ')
  const form = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  return (requestMethod, at) => requestMethod === method && form.test(at)
}

async function replyToRequest(
  { routeKey, invoke }: HttpFrontOptions,
  takes: RouteMatcher,
  request: IncomingMessage,
  gone: AbortSignal,
): Promise<HttpReply> {
  const { method = 'GET', url: target = '/', rawHeaders, socket } = request
  if (!takes(method, target.split('?')[0] ?? '')) return createGatewayReply(404, 'Not Found')
  const body = await readBoundedBody(request)
  if (body === undefined) return tooLarge
  const sourceIp = socket.remoteAddress ?? ''
  const event = httpEventOf(
    { method, target, rawHeaders, body, sourceIp },
    { requestId: randomUUID(), routeKey, timeEpoch: Date.now() },
  )
  if (Buffer.byteLength(JSON.stringify(event)) > cloudLimits.answerBytesMax) return tooLarge
  return invoke(event, gone)
}

const tooLarge = createGatewayReply(413, 'Request Entity Too Large')

/**
 * Returns undefined for a body above the limit. Its rest is read and dropped, so that the client
 * receives the response.
 */
async function readBoundedBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= cloudLimits.requestBytesMax) chunks.push(chunk)
    // An endless body closes the connection.
    else if (bytes > 2 * cloudLimits.requestBytesMax)
      throw new RangeError('the request body exceeds every limit')
  }
  return bytes > cloudLimits.requestBytesMax ? undefined : Buffer.concat(chunks)
}

async function sendReply(
  response: ServerResponse,
  { status, headers, body }: HttpReply,
): Promise<void> {
  for (const [name, value] of Object.entries(headers))
    response.setHeader(name, typeof value === 'string' ? value : [...value])
  response.statusCode = status
  if (body instanceof Uint8Array) {
    response.end(body)
    return
  }
  // Sends the headers at once, so that the client of a stream sees its begin.
  response.flushHeaders()
  await pipeline(body, response)
}
