/** Limits of the API: what one caller may send, ask and keep open. */
export const apiLimits = {
  /** A body of JSON: a document of the largest size, and its envelope. */
  bodyBytesMax: 128 * 1024,
  /** Items of one page, and what is given when nobody says. */
  pageMax: 100,
  pageDefault: 25,
  /** Events of one message of a stream. */
  eventsPerMessage: 200,
  /** Characters of a URN or pattern by which a request names resources, and how many of these. */
  urnMax: 2_000,
  urnsMax: 1_000,
  /** Requests that may wait for one stack. */
  waitingMax: 100,
  /** Stacks that one token may name. */
  tokenStacksMax: 100,

  /** Requests of one address, known or not: how many at once, and how many a second after that. */
  addressBurst: 120,
  addressPerSecond: 20,
  /** The same for one token. */
  tokenBurst: 120,
  tokenPerSecond: 20,
  /** Buckets that a process keeps; the ones that were used longest ago are forgotten. */
  bucketsMax: 10_000,

  /** How often a stream looks for news. */
  streamLookMs: 300,
  /** A stream without news says that it lives: proxies close what is silent for half a minute. */
  heartbeatMs: 10_000,
  /** A stream ends after this, and its reader comes again: functions have limits. */
  streamMs: 240_000,
  /** Streams of one process. */
  streamsMax: 200,
  /** The last events of a deployment may be kept that much later than its end. */
  lastEventsMs: 3_000,

  /** One call of the command line to an API, without uploads and streams. */
  callTimeoutMs: 30_000,
  /** An upload of a program. */
  uploadTimeoutMs: 600_000,
  /** How long an address is good for that takes an upload. */
  placeExpiresMs: 900_000,
  /** Tries of a call that changes nothing twice, or of a stream that broke. */
  callAttemptsMax: 6,
  /** Pause before the second try, doubled each time. */
  callRetryMs: 500,
  /** An answer of the API. States may be large. */
  answerBytesMax: 512 * 1024 * 1024,
} as const
