import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import { createError, messageOf } from '../../shared/errors/error.ts'
import { type HttpEvent, type HttpReply, createMessageReply, httpEventOf } from './http-payload.ts'

/** The options of a listener for one function: a route of an HTTP API, or a function URL. */
export interface HttpListenerOptions {
  /** The loopback port; 0: a free one. */
  readonly port: number
  /**
   * The route in the syntax of HTTP APIs, such as `POST /hooks/{hook}`; `$default` accepts
   * everything.
   */
  readonly routeKey: string
  /**
   * Calls the function, and returns the HTTP response for its result. `signal` aborts when the
   * client disconnects.
   */
  readonly invoke: (event: HttpEvent, signal: AbortSignal) => Promise<HttpReply>
  /** Receives the reason when no complete response could be sent. */
  readonly onFailure: (reason: string) => void
}

/** A listening address. */
export interface HttpListener {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  /** Stops listening, and closes every connection. */
  readonly close: () => Promise<void>
}

/**
 * Listens on loopback, and converts HTTP requests into function calls and their results into
 * responses. The server refuses the same requests as API Gateway. The status is 404 for an unknown
 * route, and 413 for a body above the limit of API Gateway or Lambda. Throws CLI_USAGE when the
 * port is unavailable.
 */
export async function startHttpListener(options: HttpListenerOptions): Promise<HttpListener> {
  const matchesRoute = createRouteMatcher(options.routeKey)
  const server = createServer((request, response) => {
    const disconnection = new AbortController()
    response.once('close', () => disconnection.abort())
    void replyToRequest(options, matchesRoute, request, disconnection.signal)
      .then(reply => sendReply(response, reply))
      .catch((thrown: unknown) => {
        response.destroy()
        if (!disconnection.signal.aborted) options.onFailure(messageOf(thrown))
      })
  })
  const listenResult = Promise.withResolvers<void>()
  server.once('error', listenResult.reject)
  server.listen(options.port, '127.0.0.1', listenResult.resolve)
  await listenResult.promise.catch((cause: unknown) => {
    const address = `127.0.0.1:${options.port}`
    throw createError('CLI_USAGE', `cannot listen at ${address}: ${messageOf(cause)}`, { cause })
  })
  const boundAddress = server.address()
  const port = typeof boundAddress === 'object' && boundAddress !== null ? boundAddress.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      const serverClosed = new Promise<void>(resolve => server.close(() => resolve()))
      server.closeAllConnections()
      await serverClosed
    },
  }
}

type RouteMatcher = (method: string, path: string) => boolean

/** Creates the matcher of a route. A part in braces matches one part of a path. */
function createRouteMatcher(routeKey: string): RouteMatcher {
  if (routeKey === '$default') return () => true
  const [method = '', path = ''] = routeKey.split(' ')
  const pathPattern = new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)
  return (requestMethod, requestPath) => requestMethod === method && pathPattern.test(requestPath)
}

async function replyToRequest(
  { routeKey, invoke }: HttpListenerOptions,
  matchesRoute: RouteMatcher,
  request: IncomingMessage,
  disconnection: AbortSignal,
): Promise<HttpReply> {
  const { method = 'GET', url: target = '/', rawHeaders, socket } = request
  if (!matchesRoute(method, target.split('?')[0] ?? '')) return createMessageReply(404, 'Not Found')
  const body = await readBoundedBody(request)
  if (body === undefined) return tooLargeReply
  const sourceIp = socket.remoteAddress ?? ''
  const event = httpEventOf(
    { method, target, rawHeaders, body, sourceIp },
    { requestId: randomUUID(), routeKey, timeEpoch: Date.now() },
  )
  if (Buffer.byteLength(JSON.stringify(event)) > localCloudLimits.payloadBytesMax)
    return tooLargeReply
  return invoke(event, disconnection)
}

const tooLargeReply = createMessageReply(413, 'Request Entity Too Large')

/**
 * Returns the body; undefined for a body above the limit. Such a body is read to its end and
 * dropped, so that the client receives the response. Throws a RangeError for a body of more than
 * twice the limit.
 */
async function readBoundedBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length
    if (sizeBytes <= localCloudLimits.requestBytesMax) chunks.push(chunk)
    // The error ends the connection, because the body may be endless.
    else if (sizeBytes > 2 * localCloudLimits.requestBytesMax)
      throw new RangeError('the request body exceeds every limit')
  }
  return sizeBytes > localCloudLimits.requestBytesMax ? undefined : Buffer.concat(chunks)
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
  // Sends the headers immediately, so that the client need not wait for the first bytes of the
  // stream.
  response.flushHeaders()
  await pipeline(body, response)
}
