import { ProviderError } from './provider-error.ts'

/**
 * The words with which clouds refuse a call because there were too many calls. The words for an
 * exceeded quota of resources are not among them: a slower rate of calls does not help there.
 *
 * - AWS: the error codes that its SDKs classify as throttling errors.
 * - Azure: HTTP status 429 with `TooManyRequests`, or a subscription that is throttled.
 * - Google Cloud: the reasons `rateLimitExceeded` and `userRateLimitExceeded`, and rate quotas.
 * - Kubernetes: HTTP status 429 of the API server, and the limiter of its clients.
 */
const throttlingPattern = new RegExp(
  [
    '\\bThrottl(?:ing|ed)(?:Exception|Error)?\\b',
    'RequestThrottled(?:Exception)?\\b',
    'ThrottledException\\b',
    'Rate (?:limit )?exceeded',
    'TooManyRequests',
    'RequestLimitExceeded',
    'BandwidthLimitExceeded',
    'ProvisionedThroughputExceeded',
    'PriorRequestNotComplete',
    'TransactionInProgressException',
    'SlowDown\\b',
    'rateLimitExceeded',
    'RATE_LIMIT_EXCEEDED',
    'quota exceeded for quota metric .{0,200} per (?:minute|second)',
    'too many requests',
    'client rate limiter Wait returned an error',
    '(?:status(?: ?code)?|HTTP|Error)[:= ]{1,2}429\\b',
  ].join('|'),
  'iu',
)

/** The gRPC code RESOURCE_EXHAUSTED. */
const resourceExhausted = 8

/** Length of the part of a message that is searched. */
const searchedChars = 20_000

/** Reports whether a provider refused a call because there were too many calls. Pure. */
export function isThrottled(thrown: unknown): boolean {
  if (!(thrown instanceof ProviderError)) return false
  // gRPC also uses this code for messages that are too large.
  if (thrown.code === resourceExhausted) return !/larger than max/iu.test(thrown.message)
  return throttlingPattern.test(thrown.message.slice(0, searchedChars))
}
