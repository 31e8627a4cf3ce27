import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { z } from 'zod'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'

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
export type Reply =
  | { readonly kind: 'answered'; readonly id: string; readonly json: string }
  | { readonly kind: 'failed'; readonly id: string; readonly why: string }

/** What an environment tells through its Runtime API. */
export interface RuntimeApiHeard {
  /** It asks for work, and may be stopped until it gets some. */
  readonly ready: () => void
  readonly replied: (reply: Reply) => void
  readonly initFailed: (why: string) => void
}

/** Lambda's Runtime API for one environment. */
export interface RuntimeApi {
  /** `127.0.0.1:<port>`. */
  readonly address: string
  /** Gives the environment that asks, or the next time that it does, a call. */
  readonly give: (invocation: Invocation) => void
  readonly close: () => void
}

const routes = {
  next: /^\/2018-06-01\/runtime\/invocation\/next$/,
  response: /^\/2018-06-01\/runtime\/invocation\/([\w-]+)\/response$/,
  error: /^\/2018-06-01\/runtime\/invocation\/([\w-]+)\/error$/,
  initError: /^\/2018-06-01\/runtime\/init\/error$/,
} as const

/**
 * Serves the Runtime API to one environment on loopback, on a port of its own. Source: Lambda's
 * documentation of custom runtimes.
 */
export async function startRuntimeApi(heard: RuntimeApiHeard): Promise<RuntimeApi> {
  let parked: ServerResponse | undefined
  let waiting: Invocation | undefined
  const meet = (): void => {
    if (parked === undefined || waiting === undefined) return
    const [response, invocation] = [parked, waiting]
    parked = undefined
    waiting = undefined
    send(response, invocation)
  }
  const server = createServer((request, response) => {
    const path = request.url ?? ''
    if (request.method === 'GET' && routes.next.test(path)) {
      parked = response
      heard.ready()
      meet()
      return
    }
    void body(request).then(
      text => {
        const isHeard = request.method === 'POST' && hear(heard, path, text)
        response.writeHead(isHeard ? 202 : 404, { 'content-type': 'application/json' })
        response.end(isHeard ? '{"status":"OK"}' : '{"errorType":"NoSuchPath"}')
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
    give: invocation => {
      waiting = invocation
      meet()
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Hands on what was posted; false for what has no place here. */
function hear(heard: RuntimeApiHeard, path: string, text: string): boolean {
  const [, answered] = routes.response.exec(path) ?? []
  if (answered !== undefined) heard.replied({ kind: 'answered', id: answered, json: text })
  const [, failed] = routes.error.exec(path) ?? []
  if (failed !== undefined) heard.replied({ kind: 'failed', id: failed, why: whyIn(text) })
  const isInit = routes.initError.test(path)
  if (isInit) heard.initFailed(whyIn(text))
  return answered !== undefined || failed !== undefined || isInit
}

function send(response: ServerResponse, { id, arn, deadlineMs, event }: Invocation): void {
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

function whyIn(text: string): string {
  try {
    const { errorType, errorMessage } = errorForm.parse(JSON.parse(text))
    return `${errorType}: ${errorMessage}`
  } catch {
    return 'an error without a form'
  }
}

async function body(request: IncomingMessage): Promise<string> {
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
