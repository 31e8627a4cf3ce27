import { describe, expect, test } from 'vitest'
import { createError } from '../../../../errors/error.ts'
import { createDynamoError } from './dynamo-error.ts'

const request = { table: 'journal', operation: 'UpdateItem', region: 'eu-test-1' }

function createThrown(name: string, message = 'no'): Error {
  return Object.assign(new Error(message), { name })
}

describe('errors of requests to DynamoDB', () => {
  test.each([
    ['ResourceNotFoundException', 'STORE_MISSING'],
    ['AccessDeniedException', 'STORE_DENIED'],
    ['KMSAccessDeniedException', 'STORE_DENIED'],
    ['UnrecognizedClientException', 'STORE_CREDENTIALS'],
    ['ExpiredTokenException', 'STORE_CREDENTIALS'],
    ['CredentialsProviderError', 'STORE_CREDENTIALS'],
    ['ThrottlingException', 'STORE_UNAVAILABLE'],
    ['ProvisionedThroughputExceededException', 'STORE_UNAVAILABLE'],
    ['InternalServerError', 'STORE_UNAVAILABLE'],
    ['TimeoutError', 'STORE_UNAVAILABLE'],
    ['ValidationException', 'INTERNAL_ASSERTION'],
  ])('%s maps to %s, with table, region and operation', (name, code) => {
    const mappedError = createDynamoError(createThrown(name), request)
    expect(mappedError).toMatchObject({ code, details: { ...request, error: name } })
    expect(mappedError.message).toContain('the table journal')
  })

  test('a record that is too large and a signature for another region have their own codes', () => {
    const large = 'Item size has exceeded the maximum allowed size'
    expect(createDynamoError(createThrown('ValidationException', large), request).code).toBe(
      'RECORD_TOO_LARGE',
    )
    const scoped = "Credential should be scoped to a valid region, not 'eu-test-1'."
    const elsewhere = createThrown('InvalidSignatureException', scoped)
    expect(createDynamoError(elsewhere, request).code).toBe('STORE_REGION_WRONG')
  })

  test('catalogue errors are unchanged, and programming errors are not reported as an unavailable store', () => {
    const ownError = createError('RECORD_DAMAGED', 'broken')
    expect(createDynamoError(ownError, request)).toBe(ownError)
    expect(createDynamoError(new TypeError('not a function'), request).code).toBe(
      'INTERNAL_ASSERTION',
    )
  })
})
