import { expect, test } from 'vitest'
import { ApiFailure, readFailure } from './api-failure.ts'
import { createDashboardClient } from './dashboard-client.ts'
import { followEvents } from './follow-events.ts'
import { createStreamParser } from './stream-messages.ts'

const eventsText = (id: number): string => `id: ${id}\nevent: events\ndata: [${id}]\n\n`
const endText = 'event: end\ndata: {}\n\n'
const failureOf = (status: number, code: string): ApiFailure =>
  new ApiFailure({ code, message: 'refused', hint: '', status })

/** Follows a stream whose connections have these texts or failures, one after the other. */
async function follow(connections: readonly (string | ApiFailure)[]) {
  const lastIds: string[] = []
  const received: string[] = []
  const states: string[] = []
  const abort = new AbortController()
  const client = {
    openStream: async (_path: string, { lastId }: { readonly lastId: string }) => {
      const connection = connections[lastIds.length]
      lastIds.push(lastId)
      if (connection === undefined) abort.abort()
      if (connection === undefined || connection instanceof ApiFailure)
        throw connection ?? new Error('aborted')
      return new Response(connection).body ?? new ReadableStream<Uint8Array<ArrayBuffer>>()
    },
  }
  await followEvents(client, '/stream', {
    signal: abort.signal,
    wait: async (ms, signal) => {
      // The timeout of a silent connection never ends here.
      if (ms > 10_000)
        await new Promise<void>(done => signal.addEventListener('abort', () => done()))
    },
    onMessage: ({ event }) => received.push(event),
    onConnection: ({ kind }) => states.push(kind),
  })
  return { lastIds, received, states }
}

test('a broken stream continues after its last message, and reports the break', async () => {
  const { lastIds, received, states } = await follow([eventsText(3), eventsText(5) + endText])
  expect(lastIds).toEqual(['', '3'])
  expect(received).toEqual(['events', 'events', 'end'])
  expect(states).toEqual(['connecting', 'open', 'broken', 'open', 'ended'])
})

test('a stream that has reached its maximum duration reconnects without a fault', async () => {
  const againText = 'event: again\ndata: {}\n\n'
  const { states } = await follow([eventsText(3) + againText, endText])
  expect(states).toEqual(['connecting', 'open', 'open', 'ended'])
})

test('a server that is away or busy is tried again, and a refusal is final', async () => {
  const connections = [failureOf(0, 'API_UNREACHABLE'), failureOf(429, 'API_RATE_LIMITED'), endText]
  expect((await follow(connections)).states).toEqual([
    ...['connecting', 'broken', 'broken', 'open', 'ended'],
  ])
  const refused = await follow([failureOf(404, 'STACK_NOT_FOUND'), endText])
  expect(refused.states).toEqual(['connecting', 'refused'])
  expect(refused.lastIds).toHaveLength(1)
})

test('a connection that gets no response is broken after the silence limit', async () => {
  const abort = new AbortController()
  const states: string[] = []
  const waitsMs: number[] = []
  await followEvents(
    {
      openStream: (_path, { signal }) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener('abort', () => reject(signal.reason)),
        ),
    },
    '/stream',
    {
      signal: abort.signal,
      wait: async ms => {
        waitsMs.push(ms)
        if (ms < 10_000) abort.abort()
      },
      onMessage: () => undefined,
      onConnection: connection =>
        states.push(
          'failure' in connection
            ? `${connection.kind} ${connection.failure.code}`
            : connection.kind,
        ),
    },
  )
  expect(states).toEqual(['connecting', 'broken API_UNREACHABLE'])
  expect(waitsMs).toEqual([25_000, 250])
})

test('the parser completes messages that arrive in parts, and reads comments as heartbeats', () => {
  const parser = createStreamParser()
  expect(parser.push('id: 1\nevent: ev')).toEqual([])
  expect(parser.push('ents\ndata: {"a":1}\n\n: alive\n\nevent')).toEqual([
    { event: 'events', id: '1', data: '{"a":1}' },
    { event: 'alive', id: '', data: '' },
  ])
})

/** Reads a path with a client whose requests get these responses, one after the other. */
async function read(responses: readonly (Response | Error)[]) {
  const waitsMs: number[] = []
  const refusals: string[] = []
  let requestCount = 0
  const client = createDashboardClient({
    token: 'act_secret',
    fetch: async () => {
      const response = responses[requestCount]
      requestCount += 1
      if (response === undefined || response instanceof Error) throw response
      return response
    },
    wait: async ms => void waitsMs.push(ms),
    onTokenRefused: ({ code }) => refusals.push(code),
  })
  const result = await client.read('/v1/stacks').catch((thrown: unknown) => thrown)
  return { result, waitsMs, refusals }
}

const errorResponse = (status: number, code: string, headers = {}): Response =>
  new Response(JSON.stringify({ code, message: 'no', hint: 'do this' }), { status, headers })

test('a request above the rate limit is repeated after the time that the API names', async () => {
  const limited = errorResponse(429, 'API_RATE_LIMITED', { 'retry-after': '3' })
  const { result, waitsMs } = await read([limited, new Response('{"items":[]}')])
  expect([result, waitsMs]).toEqual([{ items: [] }, [3_000]])
})

test('a refused token ends the session, and another refusal does not', async () => {
  const expired = await read([errorResponse(401, 'API_TOKEN_EXPIRED')])
  expect(expired.refusals).toEqual(['API_TOKEN_EXPIRED'])
  const forbidden = await read([errorResponse(403, 'API_FORBIDDEN')])
  expect(forbidden.result).toMatchObject({ code: 'API_FORBIDDEN', hint: 'do this', status: 403 })
  expect(forbidden.refusals).toEqual([])
})

test('a refusal whose request was aborted is neither read nor reported', async () => {
  const abort = new AbortController()
  const refusals: string[] = []
  const client = createDashboardClient({
    token: 'act_secret',
    fetch: async () => {
      abort.abort()
      return errorResponse(401, 'API_TOKEN_REFUSED')
    },
    wait: async () => undefined,
    onTokenRefused: ({ code }) => refusals.push(code),
  })
  await expect(client.read('/v1/stacks', abort.signal)).rejects.toMatchObject({
    name: 'AbortError',
  })
  expect(refusals).toEqual([])
})

test('no response, and a response of a proxy, are failures with a hint', async () => {
  expect((await read([new TypeError('Failed to fetch')])).result).toMatchObject({
    code: 'API_UNREACHABLE',
    hint: expect.stringContaining('antichain serve'),
  })
  expect(readFailure(502, '<html>Bad gateway</html>')).toMatchObject({
    code: 'API_ANSWER_UNKNOWN',
    message: expect.stringContaining('502'),
  })
})
