import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createApiClient } from '../../../cli/remote/api-client.ts'

let server: Server
let port = 0

beforeEach(async () => {
  server = createServer((request, response) => {
    response.statusCode = request.url === '/missing' ? 404 : 200
    response.end('<html>somebody else</html>')
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  port = (server.address() as AddressInfo).port
})

afterEach(() => server.close())

/** Calls the API once, without a retry. */
const callApi = (url: string, path: string): Promise<unknown> =>
  createApiClient({ url, token: 't' }).call({ method: 'POST', path })

test('a response that is not from the API is reported with its address', async () => {
  const url = `http://127.0.0.1:${port}`
  await expect(callApi(url, '/missing')).rejects.toMatchObject({
    code: 'API_ANSWER_UNKNOWN',
    message: `${url} responded with status 404`,
  })
  await expect(callApi(url, '/other')).rejects.toMatchObject({
    code: 'API_ANSWER_UNKNOWN',
    message: `the response of ${url} is not valid JSON`,
  })
})

test('https to a server without TLS is reported on one line', async () => {
  const url = `https://127.0.0.1:${port}`
  await expect(callApi(url, '/other')).rejects.toMatchObject({
    code: 'API_UNREACHABLE',
    message: `${url} is unreachable: it does not use TLS; its address must begin with http://`,
  })
})

test('without a server the hint names the commands that start one', async () => {
  await new Promise(done => server.close(done))
  await expect(callApi(`http://127.0.0.1:${port}`, '/other')).rejects.toMatchObject({
    code: 'API_UNREACHABLE',
    hint: expect.stringContaining('npm run cloud'),
  })
})
