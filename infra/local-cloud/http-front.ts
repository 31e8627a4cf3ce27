import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import { error, messageOf } from '../../shared/errors/error.ts'
import { type HttpEvent, type HttpReply, createGatewayReply, httpEventOf } from './http-payload.ts'

/** The address of a function: an HTTP API's route to it, or its function URL. */
export interface HttpFrontOptions {
  /** On loopback; 0: one that is free. */
  readonly port: number
  /** `POST /hooks/{hook}` as HTTP APIs write routes; `$default` takes everything. */
  readonly routeKey: string
  /**
   * Calls the function. Aborted when whoever asked has gone away. A reply may be sent piece by
   * piece; `httpReplyOf` makes one of a function's answer.
   */
  readonly invoke: (event: HttpEvent, signal: AbortSignal) => Promise<HttpReply>
  /** What went wrong beside the answer, for people. */
  readonly onFailure: (why: string) => void
}

/** An address that listens. */
export interface HttpFront {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  /** Ends every connection. */
  readonly close: () => Promise<void>
}

/**
 * Listens on loopback and turns requests over HTTP into calls of a function and its answers back.
 * What API Gateway refuses is refused here: no route is 404, a body over its limit, or a call over
 * Lambda's, 413. Throws CLI_USAGE when nothing can listen there.
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
    throw error('CLI_USAGE', `nothing can listen at ${where}: ${messageOf(cause)}`, { cause })
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

/** What a route takes: a part in braces is one part of a path. */
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

/** Undefined for one that is too large; the rest of it is read and dropped, so that it is told. */
async function readBoundedBody(request: IncomingMessage): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes <= cloudLimits.requestBytesMax) chunks.push(chunk)
    // Whoever sends without end is cut off.
    else if (bytes > 2 * cloudLimits.requestBytesMax) throw new RangeError('a body has no end')
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
  // Whoever waits for the first piece of a stream sees that it has begun.
  response.flushHeaders()
  await pipeline(body, response)
}
