import { expect, test } from 'vitest'
import type { ErrorCode } from '../errors/catalogue.ts'
import { createError } from '../errors/error.ts'
import { toErrorResponse } from './error-response.ts'

/** Returns the response to an error that a port threw. */
async function answerTo(code: ErrorCode) {
  const answer = toErrorResponse(createError(code, `what ${code} says`), 'request-1')
  const { code: responseCode, message, hint } = (await answer.json()) as Record<string, string>
  return {
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    responseCode,
    message,
    hint,
  }
}

test.each([
  ['STORE_DENIED', 503, null],
  ['STORE_CREDENTIALS', 503, null],
  ['STORE_MISSING', 503, null],
  ['STORE_REGION_WRONG', 503, null],
  // Errors of a throttled account, and other temporary ones.
  ['STORE_UNAVAILABLE', 503, '2'],
  ['ARCHIVE_TOO_LARGE', 413, null],
  ['API_BODY_TOO_LARGE', 413, null],
  ['API_ENCODING_UNKNOWN', 415, null],
  ['SCHEDULE_INVALID', 400, null],
  ['STACK_NOT_FOUND', 404, null],
  ['API_TOKEN_REFUSED', 401, null],
  ['API_FORBIDDEN', 403, null],
  ['REQUEST_QUEUE_FULL', 429, null],
] as const)(
  '%s has the status %i, its code, a message and a hint',
  async (code, status, retryAfter) => {
    const { hint, ...answer } = await answerTo(code)
    // The message of the store may name its tables and roles.
    const message =
      status === 503
        ? 'the store of the API failed; its log entry is request-1'
        : `what ${code} says`
    expect(answer).toEqual({ status, retryAfter, responseCode: code, message })
    expect(hint).not.toBe('')
  },
)

test('an internal error reveals only the id of its log entry', async () => {
  const answer = toErrorResponse(new TypeError('hunter2'), 'request-7')
  expect(answer.status).toBe(500)
  const text = await answer.text()
  expect(text).toContain('request-7')
  expect(text).not.toContain('hunter2')
})
