import { Hono } from 'hono'
import { beforeEach, expect, test } from 'vitest'
import { noTelemetry, type SpanRecord, type TelemetryPort } from '../ports/telemetry.ts'
import { observeRequests } from './observe-requests.ts'

// The text 'hush' is private, so it must not get into telemetry.
const trace = { traceId: 'a1'.repeat(16), isSampled: true }
const spans: SpanRecord[] = []
const durations: string[] = []
const telemetry: TelemetryPort = {
  ...noTelemetry,
  isOn: true,
  startTrace: () => trace,
  createSpanId: () => 'b2'.repeat(8),
  recordSpan: span => void spans.push(span),
  recordDuration: (name, _seconds, attributes) =>
    void durations.push(`${name} ${JSON.stringify(attributes)}`),
}

beforeEach(() => {
  spans.length = 0
  durations.length = 0
})

function createApp(port: TelemetryPort): Hono {
  const app = new Hono()
  observeRequests(app, port)
  app.use('*', async (_context, next) => next())
  app.get('/v1/stacks/:stack', context => context.text(context.req.param('stack')))
  app.get('/v1/fails', () => {
    throw new Error('hush')
  })
  app.onError((_thrown, context) => context.text('failed', 500))
  return app
}

test('a request is recorded as a span and a duration, with the template of its route instead of its path', async () => {
  // The caller may be a stranger, so its trace is not joined.
  const headers = { traceparent: `00-${'c3'.repeat(16)}-${'d4'.repeat(8)}-00` }
  const response = await createApp(telemetry).request('/v1/stacks/hush?token=hush', { headers })
  expect(await response.text()).toBe('hush')
  expect(spans).toMatchObject([
    {
      name: 'GET /v1/stacks/:stack',
      kind: 'server',
      hasFailed: false,
      context: { ...trace, spanId: 'b2'.repeat(8) },
      parent: undefined,
    },
  ])
  expect(durations).toEqual([
    'http.server.request.duration {"http.request.method":"GET","http.route":"/v1/stacks/:stack","http.response.status_code":200}',
  ])
  expect(JSON.stringify(spans)).not.toContain('hush')
})

test('an unknown route and a failed request are recorded with their status', async () => {
  const app = createApp(telemetry)
  await app.request('/hush')
  await app.request('/v1/fails')
  expect(spans.map(({ name, hasFailed, context }) => [name, hasFailed, context.traceId])).toEqual([
    ['GET *', false, trace.traceId],
    ['GET /v1/fails', true, trace.traceId],
  ])
  expect(JSON.stringify([spans, durations])).not.toContain('hush')
})

test('without a collector, requests are only answered', async () => {
  const response = await createApp(noTelemetry).request('/v1/stacks/dev')
  expect([await response.text(), spans, durations]).toEqual(['dev', [], []])
})
