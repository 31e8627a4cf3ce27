import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An S3 store without conditional writes: a proxy before a store that has them. */
export interface UnconditionalStore {
  readonly endpoint: string
  /** Returns the number of refused writes. */
  readonly countRefused: () => number
  readonly close: () => void
}

/**
 * Starts a proxy on loopback that refuses each write with `If-None-Match`, with the HTTP status and
 * the error name of `refusal`. It forwards other requests with their `host` header, because their
 * signatures cover it.
 */
export async function startUnconditionalStore(
  target: string,
  refusal: { readonly status: number; readonly name: string },
): Promise<UnconditionalStore> {
  const { hostname, port } = new URL(target)
  let refusedCount = 0
  const server = createServer((incoming, response) => {
    if (incoming.headers['if-none-match'] !== undefined) {
      refusedCount += 1
      incoming.resume()
      response.writeHead(refusal.status, { 'content-type': 'application/xml' })
      return response.end(`<Error><Code>${refusal.name}</Code><Message>no</Message></Error>`)
    }
    const { method = 'GET', url: path = '/', headers } = incoming
    const forwarded = request({ hostname, port, method, path, headers }, answer => {
      response.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(response)
    })
    forwarded.on('error', () => response.destroy())
    return incoming.pipe(forwarded)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port: ownPort } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${ownPort}`,
    countRefused: () => refusedCount,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}
