/** The stream of a deployment: its failures are counted, and named by their cause. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { apiLimits } from '../../shared/config/api-limits.ts'
import { followStream } from './follow-stream.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Reads a stream whose n-th connection receives the n-th text, or has no body. */
async function readStream(bodies: readonly (string | null)[]) {
  const lastIds: (string | undefined)[] = []
  const client = {
    openStream: async (_path: string, headers: Readonly<Record<string, string>>) => {
      const body = bodies[lastIds.length]
      lastIds.push(headers['last-event-id'])
      if (body === undefined) throw new Error('the client reconnected too often')
      return new Response(body)
    },
  }
  const events: string[] = []
  const reading = (async () => {
    for await (const { event } of followStream(client, '/events')) events.push(event)
  })()
  const settlement = Promise.allSettled([reading])
  await vi.runAllTimersAsync()
  const [{ status, ...outcome }] = await settlement
  return { events, lastIds, error: 'reason' in outcome ? outcome.reason : undefined, status }
}

const eventsText = 'id: 3\nevent: events\ndata: [1]\n\n'
const endText = 'event: end\ndata: {}\n\n'

test('a stream that ends early continues after the last message with an id', async () => {
  const { events, lastIds, status } = await readStream([eventsText, endText])
  expect(status).toBe('fulfilled')
  expect(events).toEqual(['events', 'end'])
  expect(lastIds).toEqual([undefined, '3'])
})

test('a response without a body counts as a failed connection', async () => {
  const attempts = Array.from({ length: apiLimits.callAttemptsMax }, () => null)
  const { lastIds, error } = await readStream(attempts)
  expect(error).toMatchObject({ code: 'API_UNREACHABLE' })
  expect(lastIds).toHaveLength(apiLimits.callAttemptsMax)
})

test('a message that is not JSON throws API_ANSWER_UNKNOWN, and the client does not reconnect', async () => {
  const { lastIds, error } = await readStream([`${eventsText}event: end\ndata: {"result\n\n`])
  expect(error).toMatchObject({
    code: 'API_ANSWER_UNKNOWN',
    message: 'the response of the API is not valid JSON',
  })
  expect(lastIds).toHaveLength(1)
})
