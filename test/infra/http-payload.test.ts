import { expect, test } from 'vitest'
import { httpEventOf } from '../../infra/local-cloud/http-payload.ts'

const eventOf = (target: string, rawHeaders: readonly string[] = []) =>
  httpEventOf(
    { method: 'GET', target, rawHeaders, body: new Uint8Array(), sourceIp: '127.0.0.1' },
    { requestId: 'r', routeKey: '$default', timeEpoch: Date.UTC(2020, 2, 4, 19, 3, 58) },
  )

test('the time of a request has the format of HTTP APIs', () => {
  expect(eventOf('/').requestContext.time).toBe('04/Mar/2020:19:03:58 +0000')
})

test('repeated query parameters are joined by commas, also one named cookie', () => {
  expect(eventOf('/?cookie=a&cookie=b').queryStringParameters).toEqual({ cookie: 'a,b' })
})

test('repeated cookie headers become the list of cookies', () => {
  expect(eventOf('/', ['Cookie', 'a=1', 'cookie', 'b=2']).cookies).toEqual(['a=1', 'b=2'])
})
