import { DeployError, error } from '../../errors/error.ts'
import type { ErrorCode } from '../../errors/catalogue.ts'

/** The known fields of an error that the SDK throws. */
interface ThrownError {
  readonly name: string
  readonly message: string
  /** The HTTP status of the response. Absent without a response. */
  readonly status?: number
  readonly requestId?: string
  readonly isThrottling: boolean
}

/** Error codes by the names that services use, without a service's prefix. */
const codes: ReadonlyMap<string, ErrorCode> = indexCodesByName({
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
  // Refusals that are temporary.
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
const throttles: ReadonlySet<string> = new Set([
  ...['RequestThrottled', 'RequestThrottledException', 'ThrottlingException', 'Throttling'],
  ...['ThrottledException', 'SlowDown', 'TooManyRequestsException', 'KmsThrottled', 'OverLimit'],
  ...['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'LimitExceededException'],
])

const hints = {
  throttled:
    'AWS takes no more requests of this account at the moment: check its quotas. The request is retried.',
  unreached: 'Check the network and the health of the service. The request is retried.',
} as const

function indexCodesByName(names: Partial<Record<ErrorCode, readonly string[]>>) {
  return new Map(
    Object.entries(names).flatMap(([code, all]) =>
      all.map(name => [name, code as ErrorCode] as const),
    ),
  )
}

/**
 * Converts an error that an AWS client threw during `what` (`queue chains: send`) to an error of
 * the catalogue. STORE_MISSING, STORE_DENIED, STORE_CREDENTIALS, STORE_REGION_WRONG,
 * MESSAGE_TOO_LARGE, BLOB_TOO_LARGE and SECRETS_KEY_UNUSABLE are permanent. STORE_UNAVAILABLE
 * (throttled, no response, 5xx) may be temporary. Any other refusal is INTERNAL_ASSERTION. A
 * `DeployError` is returned unchanged. The decision depends on names and statuses, never on a
 * message.
 */
export function awsError(what: string, thrown: unknown): DeployError {
  if (thrown instanceof DeployError) return thrown
  const thrownError = readThrown(thrown)
  const code = codeOf(thrownError)
  const hint = isThrottle(thrownError) ? hints.throttled : hints.unreached
  const { name, message, status, requestId } = thrownError
  const details = {
    what,
    error: name,
    ...(status === undefined ? {} : { status }),
    ...(requestId === undefined ? {} : { requestId }),
  }
  const reason = message === '' || message === name ? name : `${name}: ${message}`
  return error(code, `${what} failed: ${reason}`, {
    details,
    cause: thrown,
    ...(code === 'STORE_UNAVAILABLE' ? { hint } : {}),
  })
}

/** Runs a request and throws its error converted by `awsError`. */
export async function withAwsErrors<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    throw awsError(what, thrown)
  }
}

/** Returns a service's name of its error, without the service's prefix. */
export function errorNameOf(thrown: unknown): string {
  return readThrown(thrown).name
}

/** Returns the HTTP status of an error response, or undefined without a response. */
export function httpStatusOf(thrown: unknown): number | undefined {
  return readThrown(thrown).status
}

function codeOf(thrownError: ThrownError): ErrorCode {
  const known = codes.get(thrownError.name)
  if (known !== undefined) return known
  if (isThrottle(thrownError)) return 'STORE_UNAVAILABLE'
  const { status } = thrownError
  // The response to a HEAD has no body that could name the error.
  if (status === 401 || status === 403) return 'STORE_DENIED'
  if (status === 301) return 'STORE_REGION_WRONG'
  const isRefused = status !== undefined && status >= 400 && status < 500
  return isRefused ? 'INTERNAL_ASSERTION' : 'STORE_UNAVAILABLE'
}

function isThrottle({ name, status, isThrottling }: ThrownError): boolean {
  return isThrottling || status === 429 || throttles.has(name)
}

function readThrown(thrown: unknown): ThrownError {
  if (!(thrown instanceof Error))
    return { name: 'Error', message: String(thrown), isThrottling: false }
  const metadata = readField(thrown, '$metadata')
  const status = readField(metadata, 'httpStatusCode')
  const requestId = readField(metadata, 'requestId')
  return {
    // Such as `AWS.SimpleQueueService.NonExistentQueue` or `KMS.DisabledException`.
    name: thrown.name.split('.').at(-1) ?? thrown.name,
    message: thrown.message,
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof requestId === 'string' ? { requestId } : {}),
    isThrottling: readField(readField(thrown, '$retryable'), 'throttling') === true,
  }
}

function readField(from: unknown, name: string): unknown {
  return typeof from === 'object' && from !== null ? Reflect.get(from, name) : undefined
}
