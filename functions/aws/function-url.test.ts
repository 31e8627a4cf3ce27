import { PassThrough } from 'node:stream'
import { Hono } from 'hono'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { openTestApi, shopPath, type TestApi } from '../api/api.fixture.ts'
import { type ResponseHead, answerEvent } from './function-url.ts'

/** Returns the event that Lambda passes for a request. */
function eventOf(requestLine: string, fields: object = {}): object {
  const [method = '', target = ''] = requestLine.split(' ')
  const [rawPath, rawQueryString = ''] = target.split('?')
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath,
    rawQueryString,
    isBase64Encoded: false,
    headers: {},
    requestContext: { http: { method, path: rawPath, sourceIp: '198.51.100.7' } },
    ...fields,
  }
}

/** Answers an event and reads the complete response. */
async function answer(app: Pick<Hono, 'fetch'>, event: object) {
  let head: ResponseHead | undefined
  const stream = new PassThrough()
  const text = stream.toArray().then(parts => Buffer.concat(parts).toString())
  await answerEvent(app, event, responseHead => {
    head = responseHead
    return stream
  })
  return { head, text: await text }
}

describe('the API behind a function URL', () => {
  let api: TestApi
  let headers: Readonly<Record<string, string>>
  beforeAll(async () => {
    api = await openTestApi({ addressOf: ({ env }) => String(env['sourceIp']) })
    headers = { authorization: `Bearer ${await api.issueToken('admin')}` }
  })
  afterAll(() => api.close())

  test('responds with status, headers and body, and receives path and query', async () => {
    const { head, text } = await answer(api.app, eventOf('GET /v1/stacks?limit=1', { headers }))
    expect(head?.statusCode).toBe(200)
    expect(head?.headers).toMatchObject({
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    expect(JSON.parse(text)).toMatchObject({ items: [{ id: 'organization/shop/dev' }] })
    const wrong = await answer(api.app, eventOf('GET /v1/stacks?limit=x', { headers }))
    expect(wrong.head?.statusCode).toBe(400)
  })

  test('accepts bodies as text and in base64, and records the client address of a change', async () => {
    const path = `${shopPath}/deployments`
    const body = JSON.stringify({ command: 'up', message: 'ü' })
    const encoded = Buffer.from(body).toString('base64')
    for (const [key, fields] of [
      ['text', { body }],
      ['bytes', { body: encoded, isBase64Encoded: true }],
    ] as const) {
      const named = { ...headers, 'idempotency-key': key }
      const { head, text } = await answer(
        api.app,
        eventOf(`POST ${path}`, { ...fields, headers: named }),
      )
      expect(head?.statusCode).toBe(202)
      expect(JSON.parse(text)).toMatchObject({ key, message: 'ü' })
    }
    const [last] = await api.platform.audit.read(0, 1)
    expect(last).toMatchObject({ from: '198.51.100.7', kind: 'answered', status: 202 })
  })

  test('ignores cookies and sets none', async () => {
    const cookies: (string | null)[] = []
    const app = new Hono().get('/', context => {
      cookies.push(context.req.raw.headers.get('cookie'))
      context.header('set-cookie', 'a=b')
      return context.text('')
    })
    const sent = { cookies: ['session=1'], headers: { Cookie: 'session=1', 'x-other': 'kept' } }
    const { head } = await answer(app, eventOf('GET /', sent))
    expect(cookies).toEqual([null])
    expect(head?.headers).not.toHaveProperty('set-cookie')
  })

  test('refuses a missing token, a large body and an unknown route', async () => {
    const statusOf = async (requestLine: string, fields: object) =>
      (await answer(api.app, eventOf(requestLine, fields))).head?.statusCode
    expect(await statusOf('GET /v1/stacks', {})).toBe(401)
    const body = JSON.stringify({ message: 'x'.repeat(apiLimits.bodyBytesMax) })
    expect(await statusOf(`POST ${shopPath}/deployments`, { headers, body })).toBe(413)
    expect(await statusOf('GET /v1/../../etc', { headers })).toBe(404)
    expect(await statusOf('GET /v1/stacks/shop%2f../x', { headers })).toBe(400)
  })
})

describe('a streamed response', () => {
  const encoder = new TextEncoder()

  test('is sent in pieces as they arrive', async () => {
    const more = Promise.withResolvers<void>()
    const app = new Hono().get('/', () => {
      const body = new ReadableStream({
        async start(controller) {
          controller.enqueue(encoder.encode('first'))
          await more.promise
          controller.enqueue(encoder.encode('second'))
          controller.close()
        },
      })
      return new Response(body)
    })
    const stream = new PassThrough()
    const pieces: string[] = []
    const first = new Promise<void>(seen =>
      stream.on('data', (piece: Buffer) => {
        pieces.push(piece.toString())
        seen()
      }),
    )
    const done = answerEvent(app, eventOf('GET /'), () => stream)
    await first
    expect(pieces).toEqual(['first'])
    more.resolve()
    await done
    expect(pieces).toEqual(['first', 'second'])
  })

  test('is cancelled when its reader disconnects, before the call ends', async () => {
    let isCancelled = false
    const app = new Hono().get('/', () => {
      const body = new ReadableStream({
        pull: controller => controller.enqueue(new Uint8Array(100_000)),
        cancel: async () => {
          await new Promise(done => setTimeout(done, 50))
          isCancelled = true
        },
      })
      return new Response(body)
    })
    const stream = new PassThrough()
    const done = answerEvent(app, eventOf('GET /'), () => stream)
    stream.once('readable', () => stream.destroy())
    await done
    expect(isCancelled).toBe(true)
  })

  test('that breaks off fails the call, and is not ended like a complete one', async () => {
    const app = new Hono().get('/', () => {
      const body = new ReadableStream({
        pull: () => {
          throw new Error('broken')
        },
      })
      return new Response(body)
    })
    const stream = new PassThrough()
    await expect(answerEvent(app, eventOf('GET /'), () => stream)).rejects.toThrow('broken')
    expect(stream.writableEnded).toBe(false)
  })

  test('does not begin for a malformed event: the call fails', async () => {
    const begin = (): PassThrough => new PassThrough()
    await expect(answerEvent(new Hono(), { rawPath: '/' }, begin)).rejects.toThrow()
  })
})
