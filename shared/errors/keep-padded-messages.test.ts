import { createServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { Client, credentials, type ServiceError } from '@grpc/grpc-js'
import { expect, onTestFinished, test } from 'vitest'
import './keep-padded-messages.ts'

test('a client of gRPC reads an error message that ends with a space', async () => {
  const server = createServer({ strictFieldWhitespaceValidation: false }, (_request, response) => {
    const headers = { 'content-type': 'application/grpc', 'grpc-status': '2' }
    response.stream.respond(
      { ...headers, 'grpc-message': 'line 3 is wrong; ' },
      { endStream: true },
    )
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  onTestFinished(() => {
    client.close()
    server.close()
  })
  const keep = (bytes: Buffer): Buffer => bytes
  const failure = await new Promise<ServiceError | null>(done =>
    client.makeUnaryRequest('/a/b', keep, keep, Buffer.alloc(0), done),
  )
  expect(failure).toMatchObject({ code: 2, details: 'line 3 is wrong; ' })
})
