/** The addresses of the local cloud convert requests as API Gateway and function URLs do. */
import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, expect, test } from 'vitest'
import { type HttpListener, startHttpListener } from '../../infra/local-cloud/http-listener.ts'
import {
  type HttpEvent,
  type HttpReply,
  toHttpReply,
} from '../../infra/local-cloud/http-payload.ts'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'

let listener: HttpListener | undefined
let events: HttpEvent[] = []
let failures: string[] = []
afterEach(() => listener?.close())

async function start(
  invoke: (event: HttpEvent, signal: AbortSignal) => Promise<HttpReply>,
  routeKey = '$default',
): Promise<string> {
  events = []
  failures = []
  listener = await startHttpListener({
    port: 0,
    routeKey,
    invoke: (event, signal) => {
      events.push(event)
      return invoke(event, signal)
    },
    onFailure: why => void failures.push(why),
  })
  return listener.url
}

const createReply = (value: unknown) =>
  toHttpReply({ kind: 'answered', json: JSON.stringify(value) })

test('a request is passed on in payload format 2.0, with text as text', async () => {
  const url = await start(async () => createReply({ statusCode: 202, body: '{"ä":1}' }))
  const body = '{"name":"ä"}'
  const headers = { 'Content-Type': 'application/json', 'X-Two': 'a, b', cookie: 'a=1; b=2' }
  const reply = await fetch(`${url}/hooks/one?x=1&x=2&y=%20`, { method: 'POST', headers, body })
  expect([reply.status, await reply.text()]).toEqual([202, '{"ä":1}'])
  const [event] = events
  expect(event).toMatchObject({
    version: '2.0',
    routeKey: '$default',
    rawPath: '/hooks/one',
    rawQueryString: 'x=1&x=2&y=%20',
    cookies: ['a=1', 'b=2'],
    queryStringParameters: { x: '1,2', y: ' ' },
    headers: { 'content-type': 'application/json', 'x-two': 'a, b' },
    requestContext: { http: { method: 'POST', path: '/hooks/one', sourceIp: '127.0.0.1' } },
    body,
    isBase64Encoded: false,
  })
  expect(Object.keys(event?.headers ?? {}).filter(name => /[A-Z]/.test(name))).toEqual([])
})

test('a binary body is passed on in base64, and a base64 response is sent as its bytes', async () => {
  const bytes = Buffer.from([0, 255, 128, 10])
  const body = bytes.toString('base64')
  const url = await start(async () =>
    createReply({ statusCode: 200, body, isBase64Encoded: true, cookies: ['c=1', 'd=2'] }),
  )
  const headers = { 'content-type': 'application/octet-stream' }
  const reply = await fetch(url, { method: 'PUT', headers, body: bytes })
  expect(events[0]).toMatchObject({ isBase64Encoded: true, body })
  expect(Buffer.from(await reply.arrayBuffer())).toEqual(bytes)
  expect(reply.headers.getSetCookie()).toEqual(['c=1', 'd=2'])
})

test('only requests with a route reach the function', async () => {
  const url = await start(async () => createReply({ statusCode: 200 }), 'POST /hooks/{hook}')
  const readStatus = async (method: string, path: string): Promise<number> =>
    (await fetch(url + path, { method })).status
  expect(await readStatus('GET', '/hooks/a')).toBe(404)
  expect(await readStatus('POST', '/hooks')).toBe(404)
  expect(await readStatus('POST', '/hooks/a/b')).toBe(404)
  expect(events).toEqual([])
  expect(await readStatus('POST', '/hooks/a?b')).toBe(200)
})

test('bodies over the limit of API Gateway or of Lambda are refused before the function', async () => {
  const url = await start(async () => createReply({ statusCode: 200 }))
  const sendBytes = async (bytes: number): Promise<number> =>
    (await fetch(url, { method: 'POST', body: Buffer.alloc(bytes) })).status
  expect(await sendBytes(localCloudLimits.requestBytesMax + 1)).toBe(413)
  expect(await sendBytes(localCloudLimits.requestBytesMax)).toBe(413)
  expect(events).toEqual([])
  expect(await sendBytes(4 * 1024 * 1024)).toBe(200)
})

test('the gateway responds for a function that failed, died, or returned an invalid status', async () => {
  const outcomes = [
    { kind: 'failed', reason: 'TypeError: wrong' },
    { kind: 'died', reason: 'was killed' },
    { kind: 'answered', json: '{"statusCode":"x"}' },
    { kind: 'answered', json: '{"plain":true}' },
  ] as const
  const url = await start(async () => toHttpReply(outcomes[events.length - 1] ?? outcomes[0]))
  const replies = []
  for (const _ of outcomes) {
    const reply = await fetch(url)
    replies.push([reply.status, await reply.text()])
  }
  expect(replies).toEqual([
    [500, '{"message":"Internal Server Error"}'],
    [503, '{"message":"Service Unavailable"}'],
    [500, '{"message":"Internal Server Error"}'],
    [200, '{"plain":true}'],
  ])
})

test('a streamed response is passed on in pieces until the caller disconnects', async () => {
  const ended = Promise.withResolvers<void>()
  const more = Promise.withResolvers<void>()
  async function* yieldPieces(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    yield Buffer.from('one')
    await more.promise
    yield Buffer.from('two')
    while (!signal.aborted) await sleep(5)
    ended.resolve()
  }
  const url = await start(async (_event, signal) => ({
    status: 200,
    headers: { 'content-type': 'text/event-stream' },
    body: yieldPieces(signal),
  }))
  const received: string[] = []
  const clientRequest = request(url, reply => {
    reply.on('data', (chunk: Buffer) => {
      received.push(chunk.toString())
      if (received.length === 1) more.resolve()
      else clientRequest.destroy()
    })
    reply.on('error', () => undefined)
  })
  clientRequest.on('error', () => undefined)
  clientRequest.end()
  await ended.promise
  expect(received).toEqual(['one', 'two'])
  expect(failures).toEqual([])
})
