import { ProviderError } from './provider-error.ts'

/**
 * Error codes of clouds for a call that was refused because there were too many calls. They are
 * compared with whole words of a message, and case matters.
 *
 * - AWS: the codes that its SDKs classify as throttling, without `LimitExceededException`. The SDKs
 *   retry that code too, but many services also use it for a quota of resources. Waiting does not
 *   help against such a quota, so the code alone slows nothing down.
 * - Azure: the codes of Resource Manager, of its resource providers and of Storage.
 * - Google Cloud: the reasons of its JSON APIs and of `google.rpc.ErrorInfo`.
 * - Kubernetes: the reason `TooManyRequests` of the API server.
 */
const codes = [
  ...['\\w*Throttl(?:ing|ed)(?:Exception|Error)', 'RequestThrottled', 'RequestLimitExceeded'],
  ...['ProvisionedThroughputExceeded', 'BandwidthLimitExceeded', 'PriorRequestNotComplete'],
  ...['TransactionInProgress(?=Exception)', 'SlowDown', '[Tt]ooManyRequests'],
  ...['\\w+RequestsThrottled', 'ServerBusy'],
  ...['(?:userR|r)ateLimitExceeded', 'RATE_LIMIT_EXCEEDED'],
]

/** The codes `Throttling` and `Throttled`, which are also words of other sentences. */
const ambiguousCode = 'Throttl(?:ing|ed)(?=$|["\'<):,;]|\\.?(?:\\s*$|User\\b|Api\\b))'

/** Any of the codes, except as a part of a longer name or of a path. */
const codePattern = new RegExp(
  `(?<![\\w/-])(?:(?:${codes.join('|')})(?:Exception|Error)?(?![\\w/-])|${ambiguousCode})`,
  'u',
)

/** Sentences of clouds and of their clients about too many calls. */
const sentencePattern = new RegExp(
  [
    '(?<!\\b(?:error|failure) )\\brate (?:limit )?exceeded',
    'exceeded (?:a |the |your )?(?:secondary )?rate limit',
    'reduce your request rate',
    'too many requests',
    '\\b(?:is|was|are|were|been|being|got|requests?|calls?) throttled\\b',
    '\\b(?:due to|because of) (?:request |API )?throttling\\b',
    '\\bthrottling (?:error|exception)\\b',
    // Google Cloud's quotas per minute or second. A quota of resources names no time.
    'quota exceeded for quota (?:metric|group) [^]{0,200}\\bper (?:\\d+ )?(?:minute|second)s?\\b',
    'client rate limiter Wait returned an error',
    '\\brate: Wait\\(n=\\d+\\) would exceed context deadline',
  ].join('|'),
  'iu',
)

/**
 * The forms of HTTP status 429. A number alone is not one of them, because names, ports, sizes and
 * times contain it too.
 */
const statusPattern = new RegExp(
  [
    '\\bHTTP(?:/\\d(?:\\.\\d)?)?:? 429',
    '(?:HTTP|response|status|error)[ _-]?code["\']?[:= ]{1,2}429',
    '\\b(?:status|code)["\']? ?[:=] ?429',
    '\\bstatus 429',
    '\\bError:? 429(?=$|[:,.)\\]"\'])',
  ]
    .map(form => `${form}(?![\\w-]|\\.\\d)`)
    .join('|'),
  'iu',
)

/** The gRPC code RESOURCE_EXHAUSTED as a number. */
const resourceExhausted = 8

/** RESOURCE_EXHAUSTED in a message, for example `rpc error: code = ResourceExhausted`. */
const resourceExhaustedPattern = /\b(?:ResourceExhausted|RESOURCE_EXHAUSTED)\b/u

/** Reasons of RESOURCE_EXHAUSTED for which waiting does not help: sizes and counts of resources. */
const otherExhaustionPattern = new RegExp(
  [
    'larger than max',
    'insufficient (?:\\w+ )?quota',
    'maximum number of (?!(?:\\w+ )?(?:requests|calls)\\b)',
  ].join('|'),
  'iu',
)

/** Length of the part of a message that is searched. */
const searchedChars = 20_000

/** Reports whether a provider refused a call because there were too many calls. Pure. */
export function isThrottled(thrown: unknown): boolean {
  if (!(thrown instanceof ProviderError)) return false
  const message = thrown.message.slice(0, searchedChars)
  if ([codePattern, sentencePattern, statusPattern].some(pattern => pattern.test(message)))
    return true
  const isExhausted = thrown.code === resourceExhausted || resourceExhaustedPattern.test(message)
  return isExhausted && !otherExhaustionPattern.test(message)
}
