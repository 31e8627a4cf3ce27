import { DeployError, createError } from '../../errors/error.ts'
import type { ErrorCode } from '../../errors/catalogue.ts'

/** The fields of a thrown error that this file reads. */
interface ThrownError {
  readonly name: string
  readonly message: string
  /** The HTTP status of the response. Absent without a response. */
  readonly status?: number
  readonly requestId?: string
  readonly isThrottling: boolean
}

/** Error codes of the catalogue, by the name of a service's error without its prefix. */
const codesByErrorName: ReadonlyMap<string, ErrorCode> = indexCodesByName({
  STORE_DENIED: ['AccessDenied', 'AccessDeniedException', 'AuthorizationError', 'KmsAccessDenied'],
  STORE_CREDENTIALS: [
    ...['CredentialsProviderError', 'MissingAuthenticationToken', 'SignatureDoesNotMatch'],
    ...['InvalidSignatureException', 'InvalidAccessKeyId', 'UnrecognizedClientException'],
    ...['InvalidClientTokenId', 'InvalidSecurity', 'ExpiredToken', 'ExpiredTokenException'],
    ...['IncompleteSignatureException', 'MissingAuthenticationTokenException'],
    ...['RequestExpired', 'RequestTimeTooSkewed'],
  ],
  STORE_MISSING: [
    ...['QueueDoesNotExist', 'NonExistentQueue', 'NoSuchBucket', 'NotFoundException'],
    ...['ResourceNotFoundException', 'KmsNotFound'],
  ],
  STORE_REGION_WRONG: [
    ...['PermanentRedirect', 'AuthorizationHeaderMalformed', 'InvalidAddress'],
    'IllegalLocationConstraintException',
  ],
  // These errors are temporary, although the responses of most of them have a 4xx status.
  STORE_UNAVAILABLE: [
    ...['RequestTimeout', 'RequestTimeoutException', 'TimeoutError'],
    ...['ConditionalRequestConflict', 'OperationAborted'],
  ],
  MESSAGE_TOO_LARGE: ['MessageTooLong', 'BatchRequestTooLong'],
  BLOB_TOO_LARGE: ['EntityTooLarge'],
  SECRETS_KEY_UNUSABLE: [
    ...['DisabledException', 'KMSInvalidStateException', 'KmsDisabled', 'KmsInvalidState'],
    ...['KmsInvalidKeyUsage', 'InvalidKeyUsageException', 'KmsOptInRequired'],
  ],
})

/** Names of throttling errors. */
const throttlingErrorNames: ReadonlySet<string> = new Set([
  ...['RequestThrottled', 'RequestThrottledException', 'ThrottlingException', 'Throttling'],
  ...['ThrottledException', 'SlowDown', 'TooManyRequestsException', 'KmsThrottled', 'OverLimit'],
  ...['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'LimitExceededException'],
])

/** Names of errors about the time of a request. */
const clockErrorNames: ReadonlySet<string> = new Set(['RequestExpired', 'RequestTimeTooSkewed'])

const hints = {
  throttled:
    'AWS throttles the requests of this account. Check the quotas of the account. The request is retried.',
  unreachable: 'Check the network and the health of the service. The request is retried.',
  clock: 'Set the clock of this machine: the service refuses requests with a wrong time.',
} as const

function indexCodesByName(namesByCode: Partial<Record<ErrorCode, readonly string[]>>) {
  return new Map(
    Object.entries(namesByCode).flatMap(([code, errorNames]) =>
      errorNames.map(name => [name, code as ErrorCode] as const),
    ),
  )
}

/**
 * Converts an error that an AWS client threw to an error of the catalogue. `requestName` names the
 * request, for example `queue chains: send`. STORE_MISSING, STORE_DENIED, STORE_CREDENTIALS,
 * STORE_REGION_WRONG, MESSAGE_TOO_LARGE, BLOB_TOO_LARGE and SECRETS_KEY_UNUSABLE are permanent.
 * STORE_UNAVAILABLE (throttled, no response, 5xx) may be temporary. Any other response with a 4xx
 * status becomes INTERNAL_ASSERTION. A `DeployError` is returned unchanged. The code depends on
 * names and statuses, never on a message.
 */
export function createAwsError(requestName: string, thrown: unknown): DeployError {
  if (thrown instanceof DeployError) return thrown
  const thrownError = readThrown(thrown)
  const code = codeOf(thrownError)
  const hint = hintOf(thrownError, code)
  const { name, message, status, requestId } = thrownError
  const details = {
    what: requestName,
    error: name,
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
  }
  const reason = message === '' || message === name ? name : `${name}: ${message}`
  return createError(code, `${requestName} failed: ${reason}`, {
    details,
    cause: thrown,
    ...(hint === undefined ? {} : { hint }),
  })
}

/** Returns the special hint for an error. Returns undefined if the hint of its code is enough. */
function hintOf(thrownError: ThrownError, code: ErrorCode): string | undefined {
  if (clockErrorNames.has(thrownError.name)) return hints.clock
  if (code !== 'STORE_UNAVAILABLE') return undefined
  return isThrottlingError(thrownError) ? hints.throttled : hints.unreachable
}

/** Runs a request, and throws the result of `createAwsError` when the request fails. */
export async function withAwsErrors<T>(requestName: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    throw createAwsError(requestName, thrown)
  }
}

/** Returns the name of a service's error, without the prefix of the service. */
export function errorNameOf(thrown: unknown): string {
  return readThrown(thrown).name
}

/** Returns the HTTP status of an error response. Returns undefined if there was no response. */
export function httpStatusOf(thrown: unknown): number | undefined {
  return readThrown(thrown).status
}

/**
 * Reports whether KMS refused to decrypt, because the ciphertext is damaged, or was encrypted with
 * another key or encryption context.
 */
export function isWrongKeyError(thrown: unknown): boolean {
  return ['InvalidCiphertextException', 'IncorrectKeyException'].includes(errorNameOf(thrown))
}

function codeOf(thrownError: ThrownError): ErrorCode {
  const namedCode = codesByErrorName.get(thrownError.name)
  if (namedCode !== undefined) return namedCode
  if (isThrottlingError(thrownError)) return 'STORE_UNAVAILABLE'
  const { status } = thrownError
  // The response to a HEAD has no body that could name the error.
  if (status === 401 || status === 403) return 'STORE_DENIED'
  if (status === 301) return 'STORE_REGION_WRONG'
  const isRefused = status !== undefined && status >= 400 && status < 500
  return isRefused ? 'INTERNAL_ASSERTION' : 'STORE_UNAVAILABLE'
}

function isThrottlingError({ name, status, isThrottling }: ThrownError): boolean {
  return isThrottling || status === 429 || throttlingErrorNames.has(name)
}

function readThrown(thrown: unknown): ThrownError {
  if (!(thrown instanceof Error))
    return { name: 'Error', message: String(thrown), isThrottling: false }
  const metadata = readField(thrown, '$metadata')
  const status = readField(metadata, 'httpStatusCode')
  const requestId = readField(metadata, 'requestId')
  // The SDK copies name and message from the response, also if they are no texts there.
  const name = readText(thrown, 'name', 'Error')
  return {
    // The name without its prefix: `NonExistentQueue` for
    // `AWS.SimpleQueueService.NonExistentQueue`.
    name: name.split('.').at(-1) ?? name,
    message: readText(thrown, 'message', ''),
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    isThrottling: readField(readField(thrown, '$retryable'), 'throttling') === true,
  }
}

function readText(source: Error, name: string, fallback: string): string {
  const value = readField(source, name)
  return typeof value === 'string' ? value : fallback
}

function readField(source: unknown, name: string): unknown {
  return typeof source === 'object' && source !== null ? Reflect.get(source, name) : undefined
}
