/**
 * A proxy on loopback between Pulumi's command line and a server. It loses replies, repeats
 * requests, and replaces replies, as networks and gateways do.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'

/** A request of the client. */
export interface ProxiedCall {
  readonly method: string
  /** The path with its query. */
  readonly path: string
  /** The last part of the path without its query, such as `journalentries`. */
  readonly name: string
  readonly sizeBytes: number
  /** Returns the JSON of the body, unpacked. */
  readonly readJson: () => unknown
}

/** A reply that the client gets instead of that of the server. */
interface ReplacedReply {
  readonly status: number
  readonly json: unknown
}

/**
 * The treatment of a request. `lose`: the server answers it, and the client gets no reply. `repeat`:
 * the server gets it twice. An object replaces the reply, and the server does not get the request.
 */
export type ReplyFault = 'none' | 'lose' | 'repeat' | ReplacedReply

/** A running proxy. */
export interface FaultyProxy {
  readonly url: string
  /** Sets the function that decides about each later request. */
  readonly setFaults: (faultOf: (call: ProxiedCall) => ReplyFault) => void
  /** Requests so far, oldest first, each as `<method> <name>`. */
  readonly listCalls: () => readonly string[]
  readonly close: () => void
}

/** Starts a proxy of a server, without faults. */
export async function startFaultyProxy(target: string): Promise<FaultyProxy> {
  let faultOf: (call: ProxiedCall) => ReplyFault = () => 'none'
  const calls: string[] = []
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = '', url = '' } = request
    const body = await buffer(request)
    const call = callOf({ method, path: url, body, encoding: request.headers['content-encoding'] })
    calls.push(`${method} ${call.name}`)
    const fault = faultOf(call)
    if (typeof fault === 'object') return sendJson(response, fault)
    if (fault === 'repeat') await forward(target, request, body)
    const reply = await forward(target, request, body)
    const bytes = Buffer.from(await reply.arrayBuffer())
    if (fault === 'lose') return void response.destroy()
    const { 'content-encoding': _encoding, ...headers } = Object.fromEntries(reply.headers)
    response.writeHead(reply.status, { ...headers, 'content-length': bytes.length }).end(bytes)
  }
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    setFaults: newFaultOf => {
      faultOf = newFaultOf
    },
    listCalls: () => calls,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

function callOf(request: {
  readonly method: string
  readonly path: string
  readonly body: Buffer
  readonly encoding: string | undefined
}): ProxiedCall {
  const { method, path, body, encoding } = request
  return {
    method,
    path,
    name: path.split('?')[0]?.split('/').at(-1) ?? '',
    sizeBytes: body.length,
    readJson: () => JSON.parse((encoding === 'gzip' ? gunzipSync(body) : body).toString()),
  }
}

function forward(target: string, request: IncomingMessage, body: Buffer): Promise<Response> {
  const { method = '', url = '', headers } = request
  const { host: _host, connection: _connection, 'content-length': _length, ...others } = headers
  const init = { method, headers: others as Record<string, string> }
  return fetch(
    `${target}${url}`,
    body.length === 0 ? init : { ...init, body: new Uint8Array(body) },
  )
}

function sendJson(response: ServerResponse, { status, json }: ReplacedReply): void {
  const headers = { 'content-type': 'application/json' }
  response.writeHead(status, headers).end(JSON.stringify(json))
}
