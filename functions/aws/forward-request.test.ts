import { Hono } from 'hono'
import { expect, test } from 'vitest'
import type { LambdaInvoker } from '../../shared/platform/aws/lambda-client.ts'
import { createRequestForwarder } from './forward-request.ts'
import type { FunctionUrlEnv } from './function-url.ts'
import { createUrlInvoker } from './url-invoker.fixture.ts'

// A forwarded request reaches the app of the called function as if a client had called the address
// of that function.

const functionArn = 'arn:aws:lambda:eu-test-1:000000000000:function:antichain-api'

/** Forwards a request with a body to a function. */
const forward = (lambda: LambdaInvoker, request: Request, body = '') =>
  createRequestForwarder({ lambda, functionArn })({
    request,
    body: Buffer.from(body),
    clientAddress: '198.51.100.7',
  })

test('a forwarded request has its path, query, body and client address, and only headers in use', async () => {
  const app = new Hono<{ Bindings: FunctionUrlEnv }>()
  app.post('/api/:name', async context =>
    context.json(
      {
        name: context.req.param('name'),
        query: context.req.query('q'),
        body: await context.req.text(),
        from: context.env.sourceIp,
        headers: context.req.header(),
      },
      418,
      { 'x-pulumi-request-id': 'r' },
    ),
  )
  const headers = { authorization: 'token t', 'content-type': 'text/x', 'x-forwarded-for': 'e' }
  const request = new Request('https://a.test/api/a%20b?q=1', { method: 'POST', headers })
  const response = await forward(createUrlInvoker(app as unknown as Hono), request, 'ü')
  expect(response.status).toBe(418)
  expect(response.headers.get('x-pulumi-request-id')).toBe('r')
  expect(await response.json()).toEqual({
    name: 'a b',
    query: '1',
    body: 'ü',
    from: '198.51.100.7',
    headers: { authorization: 'token t', 'content-type': 'text/x' },
  })
})

test('a response without a body is passed on', async () => {
  const app = new Hono()
  app.delete('/gone', () => new Response(null, { status: 204 }))
  const request = new Request('https://a.test/gone', { method: 'DELETE' })
  const response = await forward(createUrlInvoker(app), request)
  expect([response.status, await response.text()]).toEqual([204, ''])
})

const lambdaOf = (send: () => Promise<object>): LambdaInvoker => ({
  send,
})

test.each<[string, () => Promise<object>]>([
  ['cannot be called', () => Promise.reject(new Error('Rate Exceeded'))],
  ['fails', async () => ({ FunctionError: 'Unhandled', Payload: Buffer.from('{}') })],
  ['does not stream', async () => ({ Payload: Buffer.from('{"statusCode":200}') })],
])('a function that %s is reported', async (_, send) => {
  const request = new Request('https://a.test/')
  await expect(forward(lambdaOf(send), request)).rejects.toMatchObject({
    code: 'API_FUNCTION_UNREACHABLE',
  })
})
