import type { ErrorCode } from '../../../../errors/catalogue.ts'
import { DeployError, error, messageOf } from '../../../../errors/error.ts'

/** What is known of a request that failed. */
export interface FailedRequest {
  readonly table: string
  /** The operation of the API, as `UpdateItem`. */
  readonly operation: string
  readonly region: string
}

const hints = {
  throttled:
    'The account or table takes no more at the moment. Look at its throttles and quotas; the request is repeated.',
  unreachable:
    'Check the region and the network; the request is repeated, and nothing is lost by that.',
} as const

/** Names of errors that no repetition mends, each with what it is to us. */
const lasting: ReadonlyMap<string, ErrorCode> = new Map<string, ErrorCode>([
  ['ResourceNotFoundException', 'STORE_MISSING'],
  ['UnrecognizedClientException', 'STORE_CREDENTIALS'],
  ['InvalidSignatureException', 'STORE_CREDENTIALS'],
  ['IncompleteSignatureException', 'STORE_CREDENTIALS'],
  ['MissingAuthenticationTokenException', 'STORE_CREDENTIALS'],
  ['ExpiredTokenException', 'STORE_CREDENTIALS'],
  ['CredentialsProviderError', 'STORE_CREDENTIALS'],
])

/** Names of failures for want of capacity. */
export const throttles: ReadonlySet<string> = new Set([
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'Throttling',
])

/**
 * What a request came to as an error of the catalogue: STORE_MISSING, STORE_DENIED,
 * STORE_CREDENTIALS, STORE_REGION_WRONG and RECORD_TOO_LARGE cannot be repeated with success;
 * STORE_UNAVAILABLE (throttled, 5xx, no answer) can. An error of ours stays itself.
 */
export function storeError(thrown: unknown, request: FailedRequest): DeployError {
  if (thrown instanceof DeployError) return thrown
  const { name, reason } = { name: nameOf(thrown), reason: messageOf(thrown) }
  const { table, operation, region } = request
  const details = { table, operation, region, reason, error: name }
  const createError = (code: ErrorCode, summary: string, hint?: string): DeployError =>
    error(code, `${summary}: ${reason}`, {
      details,
      cause: thrown,
      ...(hint === undefined ? {} : { hint }),
    })
  if (isWrongRegion(reason))
    return createError('STORE_REGION_WRONG', `the table ${table} was asked for in ${region}`)
  const code = /AccessDenied/.test(name) ? 'STORE_DENIED' : lasting.get(name)
  if (code !== undefined)
    return createError(code, `${operation} of the table ${table} in ${region}`)
  if (name === 'ValidationException' && /item size/i.test(reason))
    return createError('RECORD_TOO_LARGE', `a record does not fit the table ${table}`)
  if (name === 'ItemCollectionSizeLimitExceededException')
    return createError('RECORD_TOO_LARGE', `records do not fit the table ${table}`)
  if (name === 'ValidationException')
    return createError('INTERNAL_ASSERTION', `${operation} of the table ${table} was malformed`)
  if (isProgrammingError(thrown))
    return createError('INTERNAL_ASSERTION', `${operation} of the table ${table} failed`)
  const hint = throttles.has(name) ? hints.throttled : hints.unreachable
  return createError('STORE_UNAVAILABLE', `the table ${table} in ${region} is not available`, hint)
}

/** What the SDK or the service calls an error. */
function nameOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.name : 'unknown'
}

/** Mistakes of code, which no repetition mends; what the network throws has a code. */
function isProgrammingError(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return true
  return (thrown instanceof TypeError || thrown instanceof RangeError) && !('code' in thrown)
}

/** A signature is made for a region; a service of another one says so. */
function isWrongRegion(reason: string): boolean {
  return /scoped to a valid region/i.test(reason)
}
