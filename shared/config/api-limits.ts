/** Limits of the API, per caller or in total, and of the command line as its client. */
export const apiLimits = {
  /** Size of a JSON request body: the largest document and its envelope. */
  bodyBytesMax: 128 * 1024,
  /** Results per page: the maximum and the default. */
  pageResultsMax: 100,
  pageResultsDefault: 25,
  /** Length of a text of an imported entry of the audit log, and of the name of its source. */
  auditTextCharsMax: 2_000,
  auditSourceCharsMax: 500,
  /** Newest entries of an exported audit log that an import reads. */
  auditImportEntriesMax: 100_000,
  /** Operations per page. Each has some 300 bytes. */
  operationsPerPageMax: 10_000,
  /** New operations in one response with changed operations. */
  changesPerPageMax: 1_000,
  /** Length of the list of operation ids in the address of a request. */
  operationIdsCharsMax: 4_000,
  /** Events in one message of a stream. */
  eventsPerMessage: 200,
  /** Length of a URN or URN pattern in a request, and number of URNs and patterns in a request. */
  urnCharsMax: 2_000,
  urnsMax: 1_000,
  /** Resources that one request may import. */
  importsMax: 1_000,
  /** Length of the note of a decision about a plan. */
  approvalNoteCharsMax: 1_000,
  /** Requests that may wait for one stack. */
  waitingRequestsMax: 100,
  /** Stacks that one token may name. */
  tokenStacksMax: 100,
  /** Days until a token expires: the default, and the maximum. */
  tokenDaysDefault: 90,
  tokenDaysMax: 3_650,
  /** Longest time for which the store keeps an expired token, so that its use has a clear error. */
  expiredTokenRetentionMs: 30 * 24 * 3_600_000,
  /** Time for which a replaced secret of a token remains valid: the default, and the maximum. */
  overlapSecondsDefault: 600,
  overlapSecondsMax: 7 * 24 * 3_600,
  /** Replaced secrets of a token that the store keeps. */
  replacedSecretsMax: 5,

  /**
   * Request limit per client address, authenticated or not: burst size, then requests per second.
   */
  addressBurst: 120,
  addressPerSecond: 20,
  /** Request limit per token: burst size, then requests per second. */
  tokenBurst: 120,
  tokenPerSecond: 20,
  /**
   * Request limit of Pulumi's clients, per client address and also per token: burst size, then
   * requests per second. One update makes dozens of calls in a few seconds. Calls with a valid
   * lease token are not counted. Calls with a wrong lease token have an equal limit per address.
   */
  serviceBurst: 1_000,
  servicePerSecond: 100,
  /** Rate-limit buckets that a process keeps. The least recently used ones are dropped first. */
  bucketsMax: 10_000,

  /** Interval at which a stream polls for new events. */
  streamPollMs: 300,
  /**
   * Interval of heartbeats on an idle stream. Proxies close connections that are silent for half a
   * minute.
   */
  heartbeatMs: 10_000,
  /**
   * Longest duration of one stream, below the time limit of a function. The reader of a stream
   * reconnects afterwards.
   */
  streamMs: 240_000,
  /** Concurrent streams in all processes of an installation. An installation on AWS sets fewer. */
  streamsMax: 200,
  /** Concurrent streams of one token, in all processes of the installation. */
  tokenStreamsMax: 40,
  /**
   * Time after which a stream no longer counts, even if its process could not report its end. The
   * time equals the time limit of the function that serves streams.
   */
  streamSlotMs: 300_000,
  /**
   * Streams that a token may open in one process: burst size, then streams per second. Even a
   * refused stream costs a read for each open stream of the token.
   */
  streamBurst: 40,
  streamsPerSecond: 1,
  /** Interval at which a stream checks that its token is still valid. */
  tokenCheckMs: 5_000,
  /** Time for which a stream waits for the last events of a deployment that has ended. */
  lateEventsMs: 3_000,

  /** Timeout of one API call of the command line, except uploads and streams. */
  callTimeoutMs: 30_000,
  /** Interval at which the command line polls for the end of an edit. An edit takes a second. */
  editPollMs: 300,
  /** Timeout of an upload of a program or a state. */
  uploadTimeoutMs: 600_000,
  /** Validity of an upload address. */
  uploadAddressExpiresMs: 900_000,
  /** Attempts of an idempotent call, or of a stream that broke off. */
  callAttemptsMax: 6,
  /** Pause before the second attempt. It doubles with each further attempt. */
  callRetryMs: 500,
  /** Size of an API response. States may be large. */
  responseBytesMax: 512 * 1024 * 1024,
  /** Maximum number of changed resources in the differences of two versions. */
  diffChangesMax: 1_000,
} as const
