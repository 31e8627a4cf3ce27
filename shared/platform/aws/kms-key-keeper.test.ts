import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { createKmsKeeper, type KmsKeeper } from './kms-key-keeper.ts'

const url =
  'awskms:///arn:aws:kms:eu-central-1:123456789012:key/0a1b2c3d-0000-0000-0000-000000000000'
let reply = { status: 200, body: '' }
const server = createServer((request, response) => {
  request.resume()
  response.writeHead(reply.status, { 'content-type': 'application/x-amz-json-1.1' }).end(reply.body)
})
let keeper: KmsKeeper

beforeAll(async () => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'id')
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret')
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  keeper = createKmsKeeper({
    region: 'eu-central-1',
    endpoints: { KMS: `http://127.0.0.1:${port}` },
  })
})

afterAll(() => {
  vi.unstubAllEnvs()
  keeper.close()
  server.close()
})

test('a response without the bytes of a key is refused', async () => {
  reply = { status: 200, body: '{"CiphertextBlob":"YQ==","Plaintext":"Yg=="}' }
  expect(Buffer.from(await keeper.wrap(url, new Uint8Array(32))).toString()).toBe('a')
  expect(Buffer.from(await keeper.unwrap(url, new Uint8Array(1))).toString()).toBe('b')
  for (const value of ['[]', '{"a":1}', '7', 'null', '""']) {
    reply = { status: 200, body: `{"CiphertextBlob":${value},"Plaintext":${value}}` }
    const refusal = { code: 'SECRETS_SERVICE_UNAVAILABLE' }
    await expect(keeper.wrap(url, new Uint8Array(32))).rejects.toMatchObject(refusal)
    await expect(keeper.unwrap(url, new Uint8Array(1))).rejects.toMatchObject(refusal)
  }
})

test('a refusal that is not one of KMS is no internal error', async () => {
  reply = { status: 400, body: '<html>Bad Request</html>' }
  await expect(keeper.unwrap(url, new Uint8Array(1))).rejects.toMatchObject({
    code: 'SECRETS_SERVICE_UNAVAILABLE',
    message: expect.stringContaining('decrypt failed') as string,
  })
})
