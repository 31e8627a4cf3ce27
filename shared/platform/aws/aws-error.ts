import { DeployError, error } from '../../errors/error.ts'
import type { ErrorCode } from '../../errors/catalogue.ts'

/** What the SDK throws, as far as it says anything of itself. */
interface ThrownError {
  readonly name: string
  readonly message: string
  /** The HTTP status of the answer; absent when there was none. */
  readonly status?: number
  readonly requestId?: string
  readonly isThrottling: boolean
}

/** Codes by the names that services give their errors, without a service's prefix. */
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
  // Refusals that pass by themselves.
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

/** Names of errors that say: too much at once. */
const throttles: ReadonlySet<string> = new Set([
  ...['RequestThrottled', 'RequestThrottledException', 'ThrottlingException', 'Throttling'],
  ...['ThrottledException', 'SlowDown', 'TooManyRequestsException', 'KmsThrottled', 'OverLimit'],
  ...['ProvisionedThroughputExceededException', 'RequestLimitExceeded', 'LimitExceededException'],
])

const hints = {
  throttled:
    'The account takes no more at the moment: look at its quotas. The request is repeated.',
  unreached: 'Check the network, and the health of the service. The request is repeated.',
} as const

function indexCodesByName(names: Partial<Record<ErrorCode, readonly string[]>>) {
  return new Map(
    Object.entries(names).flatMap(([code, all]) =>
      all.map(name => [name, code as ErrorCode] as const),
    ),
  )
}

/**
 * The error of ours for what a client of AWS threw while doing `what` (`queue chains: send`).
 * STORE_MISSING, STORE_DENIED, STORE_CREDENTIALS, STORE_REGION_WRONG, MESSAGE_TOO_LARGE,
 * BLOB_TOO_LARGE and SECRETS_KEY_UNUSABLE do not pass by themselves; STORE_UNAVAILABLE may
 * (throttled, no answer, an answer of 5xx); what a service refuses otherwise is INTERNAL_ASSERTION.
 * An error of ours stays what it is. Decides by names and statuses, never by a text.
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

/** Runs a request and throws what `awsFailure` makes of its error. */
export async function withAwsErrors<T>(what: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    throw awsError(what, thrown)
  }
}

/** What a service called its error, without the service's prefix. */
export function errorNameOf(thrown: unknown): string {
  return readThrown(thrown).name
}

/** The HTTP status of an error that a service answered; undefined when nobody did. */
export function httpStatusOf(thrown: unknown): number | undefined {
  return readThrown(thrown).status
}

function codeOf(thrownError: ThrownError): ErrorCode {
  const known = codes.get(thrownError.name)
  if (known !== undefined) return known
  if (isThrottle(thrownError)) return 'STORE_UNAVAILABLE'
  const { status } = thrownError
  // A HEAD has no body that could name the error.
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
    // `AWS.SimpleQueueService.NonExistentQueue`, `KMS.DisabledException`
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
