import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type OutgoingHttpHeaders,
  request as sendRequest,
  Agent,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { AwsService, AwsSettings } from '../../shared/platform/aws/clients.ts'
import { purposeOf } from './purpose.ts'
import { countRequest } from './count-request.ts'
import { type Counts, noCounts, addCounts } from './counts.ts'

/** Proxy servers that count the traffic between the functions and the emulators. */
export interface CountingProxy {
  /** The settings of the same services through the proxy. */
  readonly settings: AwsSettings
  /** Returns the counts since the previous call of this function, in total and by purpose. */
  readonly takeCounts: () => Counts & {
    readonly byPurpose: Readonly<Record<string, PurposeCounts>>
  }
  readonly close: () => Promise<void>
}

/** A function that receives the body of each request to a service, and of each response. */
export type OnBody = (service: string, body: Buffer) => void

/**
 * Starts a loopback server for each service. The server of DynamoDB extends requests, so that the
 * responses contain the consumed capacity. Other bodies are unchanged. The header `host` is
 * forwarded as it is, because signatures contain it.
 */
export async function startCountingProxy(
  directSettings: AwsSettings,
  onBody: OnBody = () => undefined,
): Promise<CountingProxy> {
  const agent = new Agent({ keepAlive: true })
  let counts = noCounts
  let byPurpose: Record<string, PurposeCounts> = {}
  const servers: Server[] = []
  const endpoints: Partial<Record<AwsService, string>> = {}
  for (const [service, endpoint] of Object.entries(directSettings.endpoints)) {
    const server = createServer((request, response) => {
      const route = { service, endpoint: new URL(endpoint), agent, onBody }
      void forward(route, request, response).then(
        ({ purpose, requestCounts }) => {
          counts = addCounts(counts, requestCounts)
          const { requests, units } = byPurpose[purpose] ?? { requests: 0, units: 0 }
          const addedUnits = (requestCounts.writeUnits ?? 0) + (requestCounts.readUnits ?? 0)
          byPurpose[purpose] = { requests: requests + 1, units: units + addedUnits }
        },
        () => response.destroy(),
      )
    })
    server.requestTimeout = 0
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    servers.push(server)
    const address = server.address()
    const port = typeof address === 'object' && address !== null ? address.port : 0
    endpoints[service as AwsService] = `http://127.0.0.1:${port}`
  }
  return {
    settings: { ...directSettings, endpoints },
    takeCounts: () => {
      const currentCounts = { ...counts, byPurpose }
      counts = noCounts
      byPurpose = {}
      return currentCounts
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

/** The requests of one purpose: an operation with the kind of its record, such as `PutItem log`. */
interface PurposeCounts {
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

/** Forwards one request and its response, and returns the purpose and counts of the request. */
async function forward(
  { service, endpoint, agent, onBody }: ProxyRoute,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<{ readonly purpose: string; readonly requestCounts: Partial<Counts> }> {
  const requestBody = await readAllBytes(request)
  const isDynamoRequest = service === 'DYNAMODB' && request.method === 'POST'
  const body = isDynamoRequest ? withConsumedCapacity(requestBody) : requestBody
  const { method = 'GET', url: path = '/' } = request
  const { 'transfer-encoding': _, expect: __, ...otherHeaders } = request.headers
  const headers = { ...otherHeaders, 'content-length': String(body.length) }
  const upstreamRequest = { agent, endpoint, method, path, headers, body }
  const upstreamResponse = await sendUpstream(upstreamRequest, response)
  const responseBody = await readAllBytes(upstreamResponse)
  for (const rawBody of [requestBody, responseBody]) onBody(service, rawBody)
  const { statusCode: status = 502 } = upstreamResponse
  response.writeHead(
    status,
    withContentLength(upstreamResponse.headers, method, responseBody.length),
  )
  response.end(responseBody)
  const isJson = service !== 'S3'
  const target = String(request.headers['x-amz-target'] ?? '')
  const operation = isJson ? (target.split('.').at(-1) ?? '') : method
  const purpose = isDynamoRequest
    ? purposeOf(operation, requestBody.toString())
    : `${service} ${operation}`
  const requestCounts = countRequest({
    service,
    method,
    path,
    status,
    target,
    requestBytes: requestBody.length,
    responseBytes: responseBody.length,
    responseText: isJson ? responseBody.toString() : '',
  })
  return { purpose, requestCounts }
}

/** Sends a request to its service. If the caller aborts, the request to the service is aborted. */
function sendUpstream(
  upstreamRequest: {
    readonly agent: Agent
    readonly endpoint: URL
    readonly method: string
    readonly path: string
    readonly headers: OutgoingHttpHeaders
    readonly body: Buffer
  },
  response: ServerResponse,
): Promise<IncomingMessage> {
  const { agent, endpoint, method, path, headers, body } = upstreamRequest
  return new Promise((resolve, reject) => {
    const { hostname: host, port } = endpoint
    const outgoing = sendRequest({ agent, host, port, method, path, headers }, resolve)
    outgoing.once('error', reject)
    response.once('close', () => {
      if (!response.writableEnded) outgoing.destroy()
    })
    outgoing.end(body)
  })
}

/**
 * Returns a request to DynamoDB that also requests its consumed capacity. Most functions request it
 * themselves.
 */
function withConsumedCapacity(body: Buffer): Buffer {
  const text = body.toString()
  // The body is not parsed, because bodies may be large and the proxy must not slow requests down.
  const isCounted = text.includes('"ReturnConsumedCapacity"')
  return text.startsWith('{"') && !isCounted
    ? Buffer.from(`{"ReturnConsumedCapacity":"TOTAL",${text.slice(1)}`)
    : body
}

/**
 * Returns the headers of a response whose body is complete. The response to HEAD keeps the
 * content-length of the service.
 */
function withContentLength(
  headers: IncomingHttpHeaders,
  method: string,
  bodyBytes: number,
): OutgoingHttpHeaders {
  const { connection: _, 'transfer-encoding': __, ...otherHeaders } = headers
  return method === 'HEAD' ? otherHeaders : { ...otherHeaders, 'content-length': String(bodyBytes) }
}

async function readAllBytes(stream: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of stream) chunks.push(chunk)
  return Buffer.concat(chunks)
}
