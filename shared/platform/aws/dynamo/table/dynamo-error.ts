import type { ErrorCode } from '../../../../errors/catalogue.ts'
import { DeployError, createError, messageOf } from '../../../../errors/error.ts'

/** The description of a failed request. */
export interface FailedRequest {
  readonly table: string
  /** The API operation, such as `UpdateItem`. */
  readonly operation: string
  readonly region: string
}

const hints = {
  throttled:
    'DynamoDB throttles the requests of the account or table. Check the quotas of both. The request is retried.',
  unreachable: 'Check the region and the network. The request is retried, and no data is lost.',
} as const

/** Names of permanent errors with their codes. */
const permanentErrors: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ['ResourceNotFoundException', 'STORE_MISSING'],
  ['UnrecognizedClientException', 'STORE_CREDENTIALS'],
  ['InvalidSignatureException', 'STORE_CREDENTIALS'],
  ['IncompleteSignatureException', 'STORE_CREDENTIALS'],
  ['MissingAuthenticationTokenException', 'STORE_CREDENTIALS'],
  ['ExpiredTokenException', 'STORE_CREDENTIALS'],
  ['CredentialsProviderError', 'STORE_CREDENTIALS'],
])

/** Names of throttling errors. */
export const throttlingErrorNames: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'Throttling',
])

/**
 * Converts an error of a request to an error of the catalogue. STORE_MISSING, STORE_DENIED,
 * STORE_CREDENTIALS, STORE_REGION_WRONG and RECORD_TOO_LARGE are permanent. INTERNAL_ASSERTION
 * means a malformed request or another programming mistake. STORE_UNAVAILABLE (throttled, 5xx, no
 * response) may be temporary. A `DeployError` is returned unchanged.
 */
export function createDynamoError(thrown: unknown, request: FailedRequest): DeployError {
  if (thrown instanceof DeployError) return thrown
  const { name, reason } = { name: thrownNameOf(thrown), reason: messageOf(thrown) }
  const { table, operation, region } = request
  const details = { table, operation, region, reason, error: name }
  const createRequestError = (code: ErrorCode, summary: string, hint?: string): DeployError =>
    createError(code, `${summary}: ${reason}`, {
      details,
      cause: thrown,
      ...(hint === undefined ? {} : { hint }),
    })
  if (isWrongRegion(reason))
    return createRequestError(
      'STORE_REGION_WRONG',
      `the request for the table ${table} was sent to ${region}, the wrong region`,
    )
  const code = /AccessDenied/.test(name) ? 'STORE_DENIED' : permanentErrors.get(name)
  if (code !== undefined)
    return createRequestError(code, `${operation} on the table ${table} in ${region} failed`)
  if (name === 'ValidationException' && /item size/i.test(reason))
    return createRequestError('RECORD_TOO_LARGE', `a record is too large for the table ${table}`)
  if (name === 'ItemCollectionSizeLimitExceededException')
    return createRequestError(
      'RECORD_TOO_LARGE',
      `the records are too large for one request to the table ${table}`,
    )
  if (name === 'ValidationException')
    return createRequestError(
      'INTERNAL_ASSERTION',
      `${operation} on the table ${table} was malformed`,
    )
  if (isProgrammingError(thrown))
    return createRequestError('INTERNAL_ASSERTION', `${operation} on the table ${table} failed`)
  const hint = throttlingErrorNames.has(name) ? hints.throttled : hints.unreachable
  return createRequestError(
    'STORE_UNAVAILABLE',
    `the table ${table} in ${region} is not available`,
    hint,
  )
}

/** Returns the name of an error of the SDK or the service. */
function thrownNameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : 'unknown'
}

/**
 * Reports whether an error is a programming mistake, which no retry corrects. A network error can
 * also be a `TypeError`, but has a code.
 */
function isProgrammingError(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return true
  return (thrown instanceof TypeError || thrown instanceof RangeError) && !('code' in thrown)
}

/** Reports whether the request was signed for another region than the region of the service. */
function isWrongRegion(reason: string): boolean {
  return /scoped to a valid region/i.test(reason)
}
