import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createOutbound } from './outbound.ts'

/** A request as the local server received it. */
export interface ReceivedRequest {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

/** The response of the local server. */
export interface ReceiverResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** Starts an HTTP server on loopback that records its requests. Tests may replace `state.answer`. */
export async function startHttpReceiver() {
  const received: ReceivedRequest[] = []
  const state = { answer: (_request: ReceivedRequest): ReceiverResponse => ({ status: 200 }) }
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      const receivedRequest = { method, url, headers, body: Buffer.concat(chunks).toString() }
      received.push(receivedRequest)
      const { status, headers: responseHeaders = {}, body } = state.answer(receivedRequest)
      response.writeHead(status, responseHeaders).end(body)
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    received,
    state,
    /** Resolves every name to 127.0.0.1, and refuses all other private addresses. */
    outbound: createOutbound({
      allowedNetworks: ['127.0.0.1/32'],
      isHttpAllowed: true,
      resolve: async () => ['127.0.0.1'],
    }),
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
