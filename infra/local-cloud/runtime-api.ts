import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import * as z from 'zod'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import { createError } from '../../shared/errors/error.ts'

/** One function call as its environment receives it. */
export interface Invocation {
  readonly id: string
  readonly arn: string
  /** Milliseconds since 1970. */
  readonly deadlineMs: number
  /** The trace header for the requests of the function; '' for none. */
  readonly traceHeader: string
  /** The event as JSON. */
  readonly event: string
}

/** The reply of an environment to a call. `json`: the result. `reason`: the thrown error. */
export type RuntimeReply =
  | { readonly kind: 'answered'; readonly id: string; readonly json: string }
  | { readonly kind: 'failed'; readonly id: string; readonly reason: string }

/** A streamed response. Its body throws when the response breaks off. */
export interface StreamedAnswer {
  /** The content type that the function set. */
  readonly type: string
  readonly body: AsyncIterable<Uint8Array>
  /** Stops reading. Has no effect after the response is complete. */
  readonly abandon: () => void
}

/** Receives the requests of an environment to its Runtime API. */
export interface RuntimeApiListener {
  /** The environment polls for a call, and may be suspended until it gets one. */
  readonly onReady: () => void
  readonly onReply: (reply: RuntimeReply) => void
  /**
   * A streamed response begins. `onReply` follows when the response has ended, unless the process
   * ends first.
   */
  readonly onStreamedAnswer: (answer: StreamedAnswer) => void
  readonly onInitFailure: (reason: string) => void
}

/** Lambda's Runtime API for one environment. */
export interface RuntimeApi {
  /** `127.0.0.1:<port>`. */
  readonly address: string
  /** Passes a call to the environment: now if it polls, otherwise with its next poll. */
  readonly invoke: (invocation: Invocation) => void
  readonly close: () => void
}

const routes = {
  next: /^\/2018-06-01\/runtime\/invocation\/next$/,
  response: /^\/2018-06-01\/runtime\/invocation\/([\w-]+)\/response$/,
  error: /^\/2018-06-01\/runtime\/invocation\/([\w-]+)\/error$/,
  initError: /^\/2018-06-01\/runtime\/init\/error$/,
} as const

/** The header with which a function announces a streamed response. */
const responseMode = 'lambda-runtime-function-response-mode'
/** The trailers of a streamed response that broke off. */
const errorTrailers = {
  type: 'lambda-runtime-function-error-type',
  body: 'lambda-runtime-function-error-body',
} as const

/**
 * Serves the Runtime API to one environment, on a loopback port of its own. Source: Lambda's
 * documentation of custom runtimes.
 */
export async function startRuntimeApi(listener: RuntimeApiListener): Promise<RuntimeApi> {
  let pollResponse: ServerResponse | undefined
  let nextInvocation: Invocation | undefined
  const sendIfReady = (): void => {
    if (pollResponse === undefined || nextInvocation === undefined) return
    const [response, invocation] = [pollResponse, nextInvocation]
    pollResponse = undefined
    nextInvocation = undefined
    sendInvocation(response, invocation)
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (request.method === 'GET' && routes.next.test(path)) {
      pollResponse = response
      listener.onReady()
      sendIfReady()
      return
    }
    const [, streamedId] = routes.response.exec(path) ?? []
    if (streamedId !== undefined && request.headers[responseMode] === 'streaming') {
      receiveStream(listener, streamedId, request, response)
      return
    }
    void readBody(request).then(
      text => {
        const isKnownPath = request.method === 'POST' && receiveReply(listener, path, text)
        if (isKnownPath) return sendAccepted(response)
        response.writeHead(404, { 'content-type': 'application/json' })
        response.end('{"errorType":"NoSuchPath"}')
      },
      () => {
        refuseLargeReply(listener, path)
        response.writeHead(413, { 'content-type': 'application/json' })
        response.end('{"errorType":"RequestEntityTooLarge"}')
      },
    )
  })
  // A poll for a call may wait for hours.
  server.requestTimeout = 0
  server.timeout = 0
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const boundAddress = server.address()
  const port = typeof boundAddress === 'object' && boundAddress !== null ? boundAddress.port : 0
  return {
    address: `127.0.0.1:${port}`,
    invoke: invocation => {
      nextInvocation = invocation
      sendIfReady()
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Passes a response to the listener as it arrives. The response is over when it is complete, when
 * trailers report an error, or when its reader abandons it. Source: Lambda's documentation of
 * response streaming for custom runtimes.
 */
function receiveStream(
  listener: RuntimeApiListener,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { 'content-type': type = 'application/octet-stream' } = request.headers
  let isAbandoned = false
  const abandon = (): void => {
    isAbandoned = true
    request.destroy()
  }
  request.once('close', () => {
    const { [errorTrailers.type]: errorType, [errorTrailers.body]: errorBody = '' } =
      request.trailers
    // A response breaks off without trailers when its process ends. The end of the process then
    // reports the failure.
    if (!request.complete && !isAbandoned) return
    if (!request.complete)
      listener.onReply({ kind: 'failed', id, reason: 'its response was not read' })
    else if (errorType === undefined) listener.onReply({ kind: 'answered', id, json: 'null' })
    else
      listener.onReply({
        kind: 'failed',
        id,
        reason: parseErrorText(Buffer.from(errorBody, 'base64').toString()),
      })
    if (request.complete) sendAccepted(response)
  })
  listener.onStreamedAnswer({ type, body: readPieces(request), abandon })
}

/**
 * Yields the parts of a streamed response. Throws when the connection or the trailers end it early.
 */
async function* readPieces(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  for await (const piece of request) yield piece as Buffer
  const { [errorTrailers.type]: errorType } = request.trailers
  if (errorType !== undefined)
    throw createError('PLATFORM_FAILED', `a streamed response broke off: ${errorType}`)
}

function sendAccepted(response: ServerResponse): void {
  response.writeHead(202, { 'content-type': 'application/json' })
  response.end('{"status":"OK"}')
}

/** Passes a posted reply or init failure to the listener. Returns false for an unknown path. */
function receiveReply(listener: RuntimeApiListener, path: string, text: string): boolean {
  const [, answeredId] = routes.response.exec(path) ?? []
  if (answeredId !== undefined) listener.onReply({ kind: 'answered', id: answeredId, json: text })
  const [, failedId] = routes.error.exec(path) ?? []
  if (failedId !== undefined)
    listener.onReply({ kind: 'failed', id: failedId, reason: parseErrorText(text) })
  const isInitFailure = routes.initError.test(path)
  if (isInitFailure) listener.onInitFailure(parseErrorText(text))
  return answeredId !== undefined || failedId !== undefined || isInitFailure
}

/** Fails the call whose response is too large. */
function refuseLargeReply(listener: RuntimeApiListener, path: string): void {
  const id = (routes.response.exec(path) ?? routes.error.exec(path))?.[1]
  const reason = `Function.ResponseSizeTooLarge: the response exceeds ${localCloudLimits.payloadBytesMax} bytes`
  if (id !== undefined) listener.onReply({ kind: 'failed', id, reason })
}

function sendInvocation(
  response: ServerResponse,
  { id, arn, deadlineMs, traceHeader, event }: Invocation,
): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'lambda-runtime-aws-request-id': id,
    'lambda-runtime-deadline-ms': String(deadlineMs),
    'lambda-runtime-invoked-function-arn': arn,
    'lambda-runtime-trace-id': traceHeader,
  })
  response.end(event)
}

const errorForm = z.object({ errorType: z.string(), errorMessage: z.string() })

function parseErrorText(text: string): string {
  try {
    const { errorType, errorMessage } = errorForm.parse(JSON.parse(text))
    return `${errorType}: ${errorMessage}`
  } catch {
    return 'a malformed error'
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let sizeBytes = 0
  for await (const chunk of request) {
    const part = chunk as Buffer
    sizeBytes += part.length
    if (sizeBytes > localCloudLimits.payloadBytesMax)
      throw new RangeError('the response is too large')
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString()
}
