/**
 * test/key-services: servers with the documented HTTP APIs of Azure Key Vault, Google Cloud KMS and
 * Pulumi's service on loopback. Real clients reach them under the real host names, through a proxy
 * that ends their TLS. No part of the product is replaced.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type IncomingMessage } from 'node:http'
import { createServer as createHttpsServer } from 'node:https'
import { type AddressInfo, connect, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text as readText } from 'node:stream/consumers'
import { createSelfSignedCertificate } from '../../shared/providers/terraform/client/self-signed-certificate.ts'

/** A request to a server of the cloud. */
export interface CloudRequest {
  readonly method: string
  readonly host: string
  /** The path without its query. */
  readonly path: string
  readonly authorization: string
  readonly body: string
}

/** A response of a server of the cloud. `json` is its body. */
export interface CloudResponse {
  readonly status: number
  readonly json: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** A server of the cloud: its hosts, `*.` for all hosts of a domain, and its answers. */
export interface CloudServer {
  readonly hosts: readonly string[]
  readonly answer: (request: CloudRequest) => CloudResponse
}

/** A running cloud. */
export interface LoopbackCloud {
  /** The variables with which clients reach the cloud: the proxy and its certificate. */
  readonly env: Readonly<Record<string, string>>
  /** The bodies of all requests so far. */
  readonly listBodies: () => readonly string[]
  readonly close: () => Promise<void>
}

/** Starts servers, and the proxy in front of them. Other hosts are refused. */
export async function startLoopbackCloud(servers: readonly CloudServer[]): Promise<LoopbackCloud> {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-cloud-'))
  const hosts = servers.flatMap(server => server.hosts)
  const { certificate, privateKey } = createSelfSignedCertificate(Date.now(), hosts)
  const certificateFile = join(folder, 'cloud.pem')
  writeFileSync(certificateFile, certificate)
  const bodies: string[] = []
  const tlsServer = createHttpsServer({ cert: certificate, key: privateKey }, (message, reply) => {
    void readCloudRequest(message).then(request => {
      bodies.push(request.body)
      const server = servers.find(candidate => serves(candidate, request.host))
      const { status, json, headers = {} } = server?.answer(request) ?? { status: 404, json: {} }
      reply.writeHead(status, { 'content-type': 'application/json', ...headers })
      reply.end(JSON.stringify(json))
    })
  })
  const tlsPort = await listenOnLoopback(tlsServer)
  const proxy = createHttpServer((_message, reply) => reply.writeHead(502).end())
  const tunnels = new Set<Socket>()
  proxy.on('connect', (message: IncomingMessage, socket: Socket) => {
    tunnels.add(socket)
    const host = (message.url ?? '').split(':')[0] ?? ''
    if (!servers.some(server => serves(server, host)))
      return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n')
    const upstream = connect(tlsPort, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n')
      upstream.pipe(socket).pipe(upstream)
    })
    for (const end of [socket, upstream]) end.on('error', () => end.destroy())
  })
  const proxyPort = await listenOnLoopback(proxy)
  return {
    env: {
      HTTPS_PROXY: `http://127.0.0.1:${proxyPort}`,
      NO_PROXY: '127.0.0.1,localhost',
      NODE_EXTRA_CA_CERTS: certificateFile,
      SSL_CERT_FILE: certificateFile,
    },
    listBodies: () => [...bodies],
    close: async () => {
      for (const tunnel of tunnels) tunnel.destroy()
      for (const server of [proxy, tlsServer]) {
        server.closeAllConnections()
        await new Promise(resolve => server.close(resolve))
      }
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function serves({ hosts }: CloudServer, host: string): boolean {
  return hosts.some(pattern =>
    pattern.startsWith('*.') ? host.endsWith(pattern.slice(1)) : host === pattern,
  )
}

async function readCloudRequest(message: IncomingMessage): Promise<CloudRequest> {
  return {
    method: message.method ?? '',
    host: (message.headers.host ?? '').split(':')[0] ?? '',
    path: (message.url ?? '').split('?')[0] ?? '',
    authorization: message.headers.authorization ?? '',
    body: await readText(message),
  }
}

async function listenOnLoopback(server: Server): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
