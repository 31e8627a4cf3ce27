import { connect, type ClientHttp2Session, type Settings } from 'node:http2'
import { once } from 'node:events'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import { afterEach, expect, test } from 'vitest'
import { limits } from '../../config/limits.ts'
import { createStreamLimit, type StreamLimit } from './stream-limit.ts'

let server: Server
let streamLimit: StreamLimit
const clients: ClientHttp2Session[] = []

/** Starts a gRPC server without services under a new limit. Returns its port. */
async function startServer(): Promise<number> {
  streamLimit = createStreamLimit()
  server = new Server(streamLimit.serverOptions)
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (thrown, boundPort) =>
      thrown === null ? resolve(boundPort) : reject(thrown),
    ),
  )
  streamLimit.addPort(port)
  return port
}

/** Connects to the server, and checks the limit of its first settings. */
async function connectTo(port: number): Promise<ClientHttp2Session> {
  const client = connect(`http://127.0.0.1:${port}`)
  clients.push(client)
  const [settings] = (await once(client, 'remoteSettings')) as [Settings]
  expect(settings.maxConcurrentStreams).toBe(limits.streamsPerConnection)
  return client
}

/** Makes a call that the server refuses, and waits for its end. */
async function call(client: ClientHttp2Session): Promise<void> {
  const request = client.request({
    ':method': 'POST',
    ':path': '/unknown/Method',
    'content-type': 'application/grpc',
  })
  request.end()
  request.resume()
  await once(request, 'close')
}

afterEach(() => {
  for (const client of clients.splice(0)) client.close()
  streamLimit.close()
  server.forceShutdown()
})

test('open connections lose their limit of calls when more than half of the calls may wait for others', async () => {
  const client = await connectTo(await startServer())
  await call(client)
  streamLimit.liftIfNeeded(limits.streamsPerConnection / 2)
  await call(client)
  expect(client.remoteSettings.maxConcurrentStreams).toBe(limits.streamsPerConnection)
  const newSettings = once(client, 'remoteSettings')
  streamLimit.liftIfNeeded(limits.streamsPerConnection / 2 + 1)
  const [settings] = (await newSettings) as [Settings]
  // The largest limit that HTTP/2 allows.
  expect(settings.maxConcurrentStreams).toBe(2 ** 31 - 1)
})

test('a connection that opens after the limit is removed loses it with its first call', async () => {
  const port = await startServer()
  streamLimit.liftIfNeeded(limits.streamsPerConnection)
  const client = await connectTo(port)
  const newSettings = once(client, 'remoteSettings')
  await call(client)
  const [settings] = (await newSettings) as [Settings]
  expect(settings.maxConcurrentStreams).toBe(2 ** 31 - 1)
})
