import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { httpEventOf } from '../../infra/local-cloud/http-payload.ts'

const jsonGzip = { 'content-type': 'application/json', 'content-encoding': 'gzip' }
const eventOf = (target: string, rawHeaders: readonly string[] = []) =>
  httpEventOf(
    { method: 'GET', target, rawHeaders, body: new Uint8Array(), sourceIp: '127.0.0.1' },
    { requestId: 'r', routeKey: '$default', timeEpoch: Date.UTC(2020, 2, 4, 19, 3, 58) },
  )

test('the time of a request has the format of HTTP APIs', () => {
  expect(eventOf('/').requestContext.time).toBe('04/Mar/2020:19:03:58 +0000')
})

test('repeated query parameters are joined by commas, also those named cookie', () => {
  expect(eventOf('/?cookie=a&cookie=b').queryStringParameters).toEqual({ cookie: 'a,b' })
})

test.each([
  ['a text body', { 'content-type': 'application/json' }, Buffer.from('{}'), false],
  ['a compressed text body', jsonGzip, gzipSync('{}'), true],
  ['a binary body', { 'content-type': 'application/gzip' }, gzipSync('{}'), true],
])('%s arrives without damage', (_, headers, body, isBase64Encoded) => {
  const rawHeaders = Object.entries(headers).flat()
  const event = httpEventOf(
    { method: 'POST', target: '/', rawHeaders, body, sourceIp: '127.0.0.1' },
    { requestId: 'r', routeKey: '$default', timeEpoch: 0 },
  )
  expect(event.isBase64Encoded).toBe(isBase64Encoded)
  expect(Buffer.from(event.body ?? '', isBase64Encoded ? 'base64' : 'utf8')).toEqual(body)
})

test('repeated cookie headers become the list of cookies', () => {
  expect(eventOf('/', ['Cookie', 'a=1', 'cookie', 'b=2']).cookies).toEqual(['a=1', 'b=2'])
})
