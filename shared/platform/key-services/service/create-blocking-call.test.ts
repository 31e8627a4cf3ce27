import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test } from 'vitest'
import { createBlockingCall } from './create-blocking-call.ts'
import type { CipherRequest } from './service-client.ts'

/**
 * A service that answers the first request only after the second one has arrived, and the second
 * one half a second later. It runs in its own thread, because the caller blocks its thread.
 */
const serverCode = `
  const { createServer } = require('node:http')
  const { parentPort } = require('node:worker_threads')
  const responses = []
  const answer = (response, ciphertext) => response.end(JSON.stringify({ ciphertext }))
  const server = createServer((request, response) => {
    responses.push(response)
    request.resume()
    if (responses.length < 2) return
    answer(responses[0], 'bGF0ZQ==')
    setTimeout(() => answer(response, 'bmV4dA=='), 500)
  })
  server.listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port))
`

let server: Worker
afterEach(() => server.terminate())

test('the late reply of a call that timed out does not end the next call', async () => {
  server = new Worker(serverCode, { eval: true })
  const [port] = (await once(server, 'message')) as [number]
  const request: CipherRequest = {
    action: 'encrypt',
    texts: ['a'],
    stack: { url: `http://127.0.0.1:${port}`, owner: 'o', project: 'p', stack: 's' },
    token: 'token',
    env: {},
  }
  const call = createBlockingCall(3_000)
  expect(call(request)).toMatchObject({ kind: 'refused', status: 0 })
  expect(call(request)).toEqual({ kind: 'answered', texts: ['bmV4dA=='] })
})
