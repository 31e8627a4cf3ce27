import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callService } from './service-client.ts'

let body = ''
const server = createServer((request, response) => {
  request.resume()
  response.end(body)
})

beforeAll(() => new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve)))
afterAll(() => void server.close())

/** Decrypts texts with a service that answers this JSON. */
function decryptWith(json: unknown, texts: readonly string[]) {
  body = JSON.stringify(json)
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const stack = { url, owner: 'o', project: 'p', stack: 's' }
  return callService({ action: 'decrypt', texts, stack, token: 'token', env: {} })
}

test('a plaintext that is not UTF-8 in base64 is refused, and never becomes another secret', async () => {
  const good = await decryptWith({ plaintext: 'w7w=' }, ['YQ=='])
  expect(good).toEqual({ kind: 'answered', texts: ['ü'] })
  for (const plaintext of ['no base64!', 'w7w', '/w==', 'w7w=\n', { a: 1 }]) {
    const refusal = { kind: 'refused', reason: expect.stringContaining('format') as string }
    expect(await decryptWith({ plaintext }, ['YQ=='])).toMatchObject(refusal)
    const plaintexts = { 'YQ==': 'w7w=', 'Yg==': plaintext }
    expect(await decryptWith({ plaintexts }, ['YQ==', 'Yg=='])).toMatchObject(refusal)
  }
})
