import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { z } from 'zod'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import { error } from '../../shared/errors/error.ts'

/** One call of a function as its environment is told of it. */
export interface Invocation {
  readonly id: string
  readonly arn: string
  /** Milliseconds since 1970. */
  readonly deadlineMs: number
  /** JSON. */
  readonly event: string
}

/** What an environment said of a call. `json`: the answer, or what was thrown. */
export type RuntimeReply =
  | { readonly kind: 'answered'; readonly id: string; readonly json: string }
  | { readonly kind: 'failed'; readonly id: string; readonly why: string }

/** An answer that is sent piece by piece; reading it throws when it breaks off. */
export interface StreamedAnswer {
  /** The content type that the function gave it. */
  readonly type: string
  readonly body: AsyncIterable<Uint8Array>
  /** Says that nobody reads on; does nothing once it has come whole. */
  readonly abandon: () => void
}

/** What an environment tells through its Runtime API. */
export interface RuntimeApiListener {
  /** It asks for work, and may be stopped until it gets some. */
  readonly onReady: () => void
  readonly onReply: (reply: RuntimeReply) => void
  /** An answer begins that is streamed; `replied` follows when it has ended. */
  readonly onStreamedAnswer: (answer: StreamedAnswer) => void
  readonly onInitFailure: (why: string) => void
}

/** Lambda's Runtime API for one environment. */
export interface RuntimeApi {
  /** `127.0.0.1:<port>`. */
  readonly address: string
  /** Gives the environment that asks, or the next time that it does, a call. */
  readonly invoke: (invocation: Invocation) => void
  readonly close: () => void
}

const routes = {
  next: /^\/2018-06-01\/runtime\/invocation\/next$/,
  response: /^\/2018-06-01\/runtime\/invocation\/([\w-]+)\/response$/,
  error: /^\/2018-06-01\/runtime\/invocation\/([\w-]+)\/error$/,
  initError: /^\/2018-06-01\/runtime\/init\/error$/,
} as const

/** How a function says that its answer is streamed. */
const responseMode = 'lambda-runtime-function-response-mode'
/** The trailers of a streamed answer that broke off. */
const errorTrailers = {
  type: 'lambda-runtime-function-error-type',
  body: 'lambda-runtime-function-error-body',
} as const

/**
 * Serves the Runtime API to one environment on loopback, on a port of its own. Source: Lambda's
 * documentation of custom runtimes.
 */
export async function startRuntimeApi(listener: RuntimeApiListener): Promise<RuntimeApi> {
  let parked: ServerResponse | undefined
  let waiting: Invocation | undefined
  const handOut = (): void => {
    if (parked === undefined || waiting === undefined) return
    const [response, invocation] = [parked, waiting]
    parked = undefined
    waiting = undefined
    sendInvocation(response, invocation)
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (request.method === 'GET' && routes.next.test(path)) {
      parked = response
      listener.onReady()
      handOut()
      return
    }
    const [, streamed] = routes.response.exec(path) ?? []
    if (streamed !== undefined && request.headers[responseMode] === 'streaming') {
      receiveStream(listener, streamed, request, response)
      return
    }
    void readBody(request).then(
      text => {
        const isHandled = request.method === 'POST' && receive(listener, path, text)
        if (isHandled) return accept(response)
        response.writeHead(404, { 'content-type': 'application/json' })
        response.end('{"errorType":"NoSuchPath"}')
      },
      () => {
        response.writeHead(413, { 'content-type': 'application/json' })
        response.end('{"errorType":"RequestEntityTooLarge"}')
      },
    )
  })
  // Whoever waits for work may do so for hours.
  server.requestTimeout = 0
  server.timeout = 0
  await new Promise<void>((resolve, failed) => {
    server.once('error', failed)
    server.listen(0, '127.0.0.1', resolve)
  })
  const found = server.address()
  const port = typeof found === 'object' && found !== null ? found.port : 0
  return {
    address: `127.0.0.1:${port}`,
    invoke: invocation => {
      waiting = invocation
      handOut()
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/**
 * Hands on an answer while it comes. It is over when it has come whole, when trailers say what went
 * wrong, or when nobody reads it any more. Source: Lambda's documentation of response streaming for
 * custom runtimes.
 */
function receiveStream(
  listener: RuntimeApiListener,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { 'content-type': type = 'application/octet-stream' } = request.headers
  let isLeft = false
  const abandon = (): void => {
    isLeft = true
    request.destroy()
  }
  request.once('close', () => {
    const { [errorTrailers.type]: wrong, [errorTrailers.body]: errorBody = '' } = request.trailers
    // One that broke off by itself is told by the end of the process.
    if (!request.complete && !isLeft) return
    if (!request.complete) listener.onReply({ kind: 'failed', id, why: 'its answer was not read' })
    else if (wrong === undefined) listener.onReply({ kind: 'answered', id, json: 'null' })
    else
      listener.onReply({
        kind: 'failed',
        id,
        why: parseErrorText(Buffer.from(errorBody, 'base64').toString()),
      })
    if (request.complete) accept(response)
  })
  listener.onStreamedAnswer({ type, body: readPieces(request), abandon })
}

/** The pieces of a streamed answer. Throws when trailers say that it broke off. */
async function* readPieces(request: IncomingMessage): AsyncGenerator<Uint8Array> {
  for await (const piece of request) yield piece as Buffer
  const { [errorTrailers.type]: wrong } = request.trailers
  if (wrong !== undefined) throw error('PLATFORM_FAILED', `a streamed answer broke off: ${wrong}`)
}

function accept(response: ServerResponse): void {
  response.writeHead(202, { 'content-type': 'application/json' })
  response.end('{"status":"OK"}')
}

/** Hands on what was posted; false for what has no place here. */
function receive(listener: RuntimeApiListener, path: string, text: string): boolean {
  const [, answered] = routes.response.exec(path) ?? []
  if (answered !== undefined) listener.onReply({ kind: 'answered', id: answered, json: text })
  const [, failed] = routes.error.exec(path) ?? []
  if (failed !== undefined)
    listener.onReply({ kind: 'failed', id: failed, why: parseErrorText(text) })
  const isInit = routes.initError.test(path)
  if (isInit) listener.onInitFailure(parseErrorText(text))
  return answered !== undefined || failed !== undefined || isInit
}

function sendInvocation(
  response: ServerResponse,
  { id, arn, deadlineMs, event }: Invocation,
): void {
  response.writeHead(200, {
    'content-type': 'application/json',
    'lambda-runtime-aws-request-id': id,
    'lambda-runtime-deadline-ms': String(deadlineMs),
    'lambda-runtime-invoked-function-arn': arn,
    'lambda-runtime-trace-id': `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${id.replaceAll('-', '').slice(0, 24)};Sampled=0`,
  })
  response.end(event)
}

const errorForm = z.object({ errorType: z.string(), errorMessage: z.string() })

function parseErrorText(text: string): string {
  try {
    const { errorType, errorMessage } = errorForm.parse(JSON.parse(text))
    return `${errorType}: ${errorMessage}`
  } catch {
    return 'an error without a form'
  }
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    const part = chunk as Buffer
    bytes += part.length
    if (bytes > cloudLimits.answerBytesMax) throw new RangeError('the answer is too large')
    chunks.push(part)
  }
  return Buffer.concat(chunks).toString()
}
