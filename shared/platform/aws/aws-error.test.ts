import { describe, expect, test } from 'vitest'
import { createError } from '../../errors/error.ts'
import { createAwsError, withAwsErrors, errorNameOf, httpStatusOf } from './aws-error.ts'

/** Creates an error as the SDK throws it: a name, and a status if there was a response. */
function thrownOf(name: string, status?: number, more: object = {}): Error {
  const thrown = Object.assign(new Error('said'), {
    $metadata: status === undefined ? {} : { httpStatusCode: status, requestId: 'r-1' },
    ...more,
  })
  thrown.name = name
  return thrown
}

describe('an AWS client error', () => {
  test.each([
    ['AccessDenied', 403, 'STORE_DENIED'],
    ['KMS.AccessDeniedException', 400, 'STORE_DENIED'],
    ['Forbidden', 403, 'STORE_DENIED'],
    ['CredentialsProviderError', undefined, 'STORE_CREDENTIALS'],
    ['ExpiredToken', 400, 'STORE_CREDENTIALS'],
    ['SignatureDoesNotMatch', 403, 'STORE_CREDENTIALS'],
    ['AWS.SimpleQueueService.NonExistentQueue', 400, 'STORE_MISSING'],
    ['NoSuchBucket', 404, 'STORE_MISSING'],
    ['NotFoundException', 400, 'STORE_MISSING'],
    ['PermanentRedirect', 301, 'STORE_REGION_WRONG'],
    ['301', 301, 'STORE_REGION_WRONG'],
    ['AuthorizationHeaderMalformed', 400, 'STORE_REGION_WRONG'],
    ['BatchRequestTooLong', 400, 'MESSAGE_TOO_LARGE'],
    ['EntityTooLarge', 400, 'BLOB_TOO_LARGE'],
    ['DisabledException', 400, 'SECRETS_KEY_UNUSABLE'],
    ['RequestThrottled', 403, 'STORE_UNAVAILABLE'],
    ['Unknown', 429, 'STORE_UNAVAILABLE'],
    ['SlowDown', 503, 'STORE_UNAVAILABLE'],
    ['InternalError', 500, 'STORE_UNAVAILABLE'],
    ['ConditionalRequestConflict', 409, 'STORE_UNAVAILABLE'],
    ['TimeoutError', undefined, 'STORE_UNAVAILABLE'],
    ['Error', undefined, 'STORE_UNAVAILABLE'],
    ['InvalidAttributeName', 400, 'INTERNAL_ASSERTION'],
  ])('%s with status %s maps to %s', (name, status, code) => {
    expect(createAwsError('queue q: send', thrownOf(name, status))).toMatchObject({ code })
  })

  test('names the action, the response and the request', () => {
    const failure = createAwsError('queue q: send', thrownOf('AccessDenied', 403))
    expect(failure.message).toBe('queue q: send failed: AccessDenied: said')
    expect(failure.details).toEqual({
      what: 'queue q: send',
      error: 'AccessDenied',
      status: 403,
      requestId: 'r-1',
    })
  })

  test('that is transient has a hint about quotas or the network', () => {
    const hintOf = (thrown: Error) => createAwsError('x', thrown).hint
    expect(hintOf(thrownOf('SlowDown', 503))).toContain('quotas')
    expect(hintOf(thrownOf('Odd', 400, { $retryable: { throttling: true } }))).toContain('quotas')
    expect(hintOf(thrownOf('TimeoutError'))).toContain('network')
    expect(hintOf(thrownOf('RequestTimeTooSkewed', 403))).toContain('clock of this machine')
    expect(hintOf(thrownOf('ExpiredToken', 400))).toContain('Renew')
  })

  test('a catalogue error is returned unchanged, and a thrown string appears in the message', async () => {
    const ownError = createError('STATE_INVALID', 'damaged')
    await expect(withAwsErrors('x', () => Promise.reject(ownError))).rejects.toBe(ownError)
    expect(createAwsError('x', 'odd').message).toContain('odd')
    expect([errorNameOf('odd'), httpStatusOf('odd')]).toEqual(['Error', undefined])
  })
})

test('an error whose name and message are no texts has a code and its status', () => {
  for (const value of [{ toString: '../..' }, ['a'], 7, null]) {
    const thrown = Object.assign(new Error(), { $metadata: { httpStatusCode: 403 } })
    for (const name of ['name', 'message']) Object.defineProperty(thrown, name, { value })
    const { code, message } = createAwsError('key k: decrypt', thrown)
    expect([code, message]).toEqual(['STORE_DENIED', 'key k: decrypt failed: Error'])
  }
})
