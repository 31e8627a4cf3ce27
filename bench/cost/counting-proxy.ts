import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as ask,
  Agent,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AwsService, AwsSettings } from '../../shared/platform/aws/clients.ts'
import { purposeOf } from '../../test/aws/purpose.ts'
import { countRequest } from './count-request.ts'
import { type Counts, noCounts, sumOf } from './prices.ts'

/** Proxy servers between the functions and the emulators, which count the traffic. */
export interface CountingProxy {
  /** The settings of the same services through the proxy. */
  readonly settings: AwsSettings
  /** Returns the counts since the last call, in total and by purpose. */
  readonly takeCounts: () => Counts & { readonly by: Readonly<Record<string, Purpose>> }
  readonly close: () => Promise<void>
}

/** Called with every body that is sent to or received from a service. */
export type OnBody = (service: string, body: Buffer) => void

/**
 * Starts a loopback server for each service. Requests to DynamoDB are extended to return their
 * consumed capacity; nothing else is changed. Signatures stay valid, because the host name is
 * forwarded.
 */
export async function startCountingProxy(
  plain: AwsSettings,
  onBody: OnBody = () => undefined,
): Promise<CountingProxy> {
  const agent = new Agent({ keepAlive: true })
  let counts = noCounts
  let by: Record<string, Purpose> = {}
  const servers: Server[] = []
  const endpoints: Partial<Record<AwsService, string>> = {}
  for (const [service, endpoint] of Object.entries(plain.endpoints)) {
    const server = createServer((request, response) => {
      const route = { service, endpoint: new URL(endpoint), agent, onBody }
      void forward(route, request, response).then(
        ({ purpose, found }) => {
          counts = sumOf(counts, found)
          const { requests, units } = by[purpose] ?? { requests: 0, units: 0 }
          const more = (found.writeUnits ?? 0) + (found.readUnits ?? 0)
          by[purpose] = { requests: requests + 1, units: units + more }
        },
        () => response.destroy(),
      )
    })
    server.requestTimeout = 0
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
    const at = server.address()
    const port = typeof at === 'object' && at !== null ? at.port : 0
    endpoints[service as AwsService] = `http://127.0.0.1:${port}`
  }
  return {
    settings: { ...plain, endpoints },
    takeCounts: () => {
      const taken = { ...counts, by }
      counts = noCounts
      by = {}
      return taken
    },
    close: async () => {
      agent.destroy()
      for (const server of servers) {
        server.closeAllConnections()
        await new Promise<void>(resolve => server.close(() => resolve()))
      }
    },
  }
}

/** The requests of one purpose. */
interface Purpose {
  readonly requests: number
  /** Units of DynamoDB, written or read. */
  readonly units: number
}

interface ProxyRoute {
  readonly service: string
  readonly endpoint: URL
  readonly agent: Agent
  readonly onBody: OnBody
}

/** Forwards one request and its response, and returns its purpose and its counts. */
async function forward(
  { service, endpoint, agent, onBody }: ProxyRoute,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<{ readonly purpose: string; readonly found: Partial<Counts> }> {
  const requestBody = await bytesOf(request)
  const isTable = service === 'DYNAMODB' && request.method === 'POST'
  const body = isTable ? withConsumedCapacity(requestBody) : requestBody
  const { method = 'GET', url: path = '/' } = request
  const { 'transfer-encoding': _, expect: __, ...kept } = request.headers
  const headers = { ...kept, 'content-length': String(body.length) }
  const answer = await sendUpstream({ agent, endpoint, method, path, headers, body }, response)
  const back = await bytesOf(answer)
  for (const one of [requestBody, back]) onBody(service, one)
  const { statusCode: status = 502 } = answer
  response.writeHead(status, withoutFraming(answer.headers, method, back.length))
  response.end(back)
  const isJson = service !== 'S3'
  const target = String(request.headers['x-amz-target'] ?? '')
  const operation = isJson ? (target.split('.').at(-1) ?? '') : method
  const purpose = isTable ? purposeOf(operation, requestBody.toString()) : `${service} ${operation}`
  const found = countRequest({
    ...{ service, method, path, status, target },
    requestBytes: requestBody.length,
    answerBytes: back.length,
    requestText: isJson ? requestBody.toString() : '',
    answerText: isJson ? back.toString() : '',
  })
  return { purpose, found }
}

/** When the caller aborts the request, the upstream request is aborted too. */
function sendUpstream(
  upstream: {
    readonly agent: Agent
    readonly endpoint: URL
    readonly method: string
    readonly path: string
    readonly headers: OutgoingHttpHeaders
    readonly body: Buffer
  },
  response: ServerResponse,
): Promise<IncomingMessage> {
  const { agent, endpoint, method, path, headers, body } = upstream
  return new Promise((resolve, failed) => {
    const { hostname: host, port } = endpoint
    const outgoing = ask({ agent, host, port, method, path, headers }, resolve)
    outgoing.once('error', failed)
    response.once('close', () => {
      if (!response.writableEnded) outgoing.destroy()
    })
    outgoing.end(body)
  })
}

/** Returns a request to DynamoDB that also requests its consumed capacity. */
function withConsumedCapacity(body: Buffer): Buffer {
  const text = body.toString()
  // Inserts text without parsing the body, because bodies may be large and the proxy must not slow
  // requests down.
  return text.startsWith('{"')
    ? Buffer.from(`{"ReturnConsumedCapacity":"TOTAL",${text.slice(1)}`)
    : body
}

function withoutFraming(
  headers: IncomingHttpHeaders,
  method: string,
  bytes: number,
): OutgoingHttpHeaders {
  const { connection: _, 'transfer-encoding': __, ...kept } = headers
  return method === 'HEAD' ? kept : { ...kept, 'content-length': String(bytes) }
}

async function bytesOf(from: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of from) chunks.push(chunk)
  return Buffer.concat(chunks)
}
