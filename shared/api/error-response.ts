import type { ErrorCode } from '../errors/catalogue.ts'
import { DeployError } from '../errors/error.ts'
import { errorSourceOf } from '../providers/retry-policy.ts'

/** The body of an error response. */
export interface ErrorBody {
  readonly code: ErrorCode
  readonly message: string
  readonly hint: string
  /** The invalid part of the request, for API_INPUT_INVALID: for example `body.rules.0.on`. */
  readonly at?: string
}

/** Error codes by HTTP status. Errors with other codes get 503 or 500; see `apiStatusOf`. */
const codesByStatus: readonly (readonly [number, readonly ErrorCode[]])[] = [
  [
    400,
    [
      'API_INPUT_INVALID',
      'CLI_USAGE',
      'STACK_NAME_INVALID',
      'SCHEDULE_INVALID',
      'DOCUMENT_INVALID',
      'OUTBOUND_REFUSED',
      'FEDERATION_TOO_BROAD',
      'UPLOAD_DIFFERS',
      'ARCHIVE_UNREADABLE',
      'QUERY_INVALID',
      'QUERY_LIMIT',
    ],
  ],
  [
    401,
    [
      'API_TOKEN_MISSING',
      'API_TOKEN_REFUSED',
      'API_TOKEN_EXPIRED',
      'OIDC_TOKEN_INVALID',
      'OIDC_TOKEN_EXPIRED',
      'OIDC_AUDIENCE_WRONG',
      'OIDC_TOKEN_FOREIGN',
    ],
  ],
  [403, ['API_FORBIDDEN', 'APPROVAL_OWN']],
  [
    404,
    [
      'API_ROUTE_UNKNOWN',
      'STACK_NOT_FOUND',
      'DEPLOYMENT_UNKNOWN',
      'REQUEST_UNKNOWN',
      'APPROVAL_UNKNOWN',
      'DOCUMENT_UNKNOWN',
      'MOMENT_UNKNOWN',
      'ARCHIVE_UNKNOWN',
      'GROUP_UNKNOWN',
    ],
  ],
  [
    409,
    [
      'STACK_EXISTS',
      'STACK_GROUP_DIFFERENT',
      'STACK_BUSY',
      'SECRETS_PROVIDER_CHANGED',
      'STACK_NOT_EMPTY',
      'REQUEST_KEY_TAKEN',
      'REQUEST_BEGUN',
      'APPROVAL_REQUIRED',
      'APPROVAL_EXPIRED',
      'APPROVAL_DECIDED',
      'PLUGIN_TAKEN',
      'DOCUMENT_CHANGED',
      'OIDC_RULE_AMBIGUOUS',
      'NOTHING_TO_RESUME',
      'SECRETS_PASSPHRASE_MISSING',
      'SECRETS_PASSPHRASE_WRONG',
      'SECRETS_MANAGER_UNSUPPORTED',
    ],
  ],
  [410, ['RECORDS_REMOVED']],
  [413, ['API_BODY_TOO_LARGE', 'ARCHIVE_TOO_LARGE']],
  [415, ['API_ENCODING_UNKNOWN']],
  [429, ['API_RATE_LIMITED', 'REQUEST_QUEUE_FULL']],
  [501, ['FEATURE_MISSING']],
  [504, ['DELIVERY_UNCONFIRMED']],
  [502, ['OIDC_ISSUER_UNREACHABLE', 'API_FUNCTION_UNREACHABLE']],
]

const statusByCode: ReadonlyMap<ErrorCode, number> = new Map(
  codesByStatus.flatMap(([status, codes]) => codes.map(code => [code, status] as const)),
)

/**
 * Returns the HTTP status of an error. Of errors whose code is not listed, those of the store get
 * 503, and all others 500.
 */
export function apiStatusOf(thrown: unknown): number {
  const listedStatus = thrown instanceof DeployError ? statusByCode.get(thrown.code) : undefined
  return listedStatus ?? (errorSourceOf(thrown) === 'store' ? 503 : 500)
}

/** Returns the response body of an error with a code. */
export function errorBodyOf({ code, message, hint, details: { at } }: DeployError): ErrorBody {
  const locationField = code === 'API_INPUT_INVALID' && typeof at === 'string' ? { at } : {}
  return { code, message, hint, ...locationField }
}

function publicErrorBodyOf(thrown: unknown, requestId: string): ErrorBody {
  if (!(thrown instanceof DeployError) || thrown.code === 'INTERNAL_ASSERTION')
    return {
      code: 'INTERNAL_ASSERTION',
      message: `internal error of the API; its log entry is ${requestId}`,
      hint: 'Report the error with this message.',
    }
  if (apiStatusOf(thrown) !== 503) return errorBodyOf(thrown)
  const message = `the store of the API failed; its log entry is ${requestId}`
  return { ...errorBodyOf(thrown), message }
}

/**
 * Returns an error as a JSON response. For internal errors and errors of the store, the response
 * does not contain the message of the error. Such a message may contain confidential names, for
 * example of tables and roles.
 */
export function toErrorResponse(thrown: unknown, requestId: string): Response {
  const status = apiStatusOf(thrown)
  const body = publicErrorBodyOf(thrown, requestId)
  const retryAfterSeconds = retryAfterSecondsOf(thrown)
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    ...(status === 401 ? { 'www-authenticate': 'Bearer' } : {}),
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) }),
  }
  return new Response(JSON.stringify(body), { status, headers })
}

/** Returns the seconds to wait before a retry. Returns undefined unless the error is temporary. */
function retryAfterSecondsOf(thrown: unknown): number | undefined {
  if (!(thrown instanceof DeployError)) return undefined
  const seconds = thrown.details['retryAfterSeconds']
  if (typeof seconds === 'number') return seconds
  return thrown.code === 'STORE_UNAVAILABLE' ? storeRetrySeconds : undefined
}

/**
 * Seconds to wait after STORE_UNAVAILABLE. Throttling ends within seconds, and a user may be
 * waiting.
 */
const storeRetrySeconds = 2
