/** Limits of the AWS clients, queues and blobs. */
export const awsLimits = {
  /** Attempts that the SDK makes for one request before it throws. */
  sdkAttemptsMax: 4,
  /** Timeout for establishing a connection. */
  connectTimeoutMs: 3_000,
  /** Timeout from the last byte of a request to the first byte of its response. */
  responseTimeoutMs: 10_000,
  /** The same timeout for blob requests. A body may have half a gigabyte. */
  blobResponseTimeoutMs: 120_000,
  /**
   * The same timeout for a compaction call, which folds a whole deployment before it responds. The
   * caller makes one attempt only, because it must have time to fold the deployment itself
   * afterwards.
   */
  compactionResponseTimeoutMs: 300_000,
  /** The same timeout for a call of the installer: longer than its function can run. */
  installerResponseTimeoutMs: 620_000,
  /** The same timeout for a request that the service forwards to the API. */
  forwardedResponseTimeoutMs: 60_000,
  /**
   * Time from the start of a close after which an unpublished snapshot counts as late. Usually its
   * publication takes seconds.
   */
  lateSnapshotMs: 900_000,
  /** Connections to one service: equal to the operations that an executor runs concurrently. */
  socketsMax: 64,

  /** Entries of one message batch: the limit of SQS. */
  batchEntriesMax: 10,
  /** Size of one message, and of a whole batch: the limit of SQS, 1 MiB. */
  messageBytesMax: 1_048_576,
  /** Long-poll time of one receive: the limit of SQS. */
  receiveWaitMs: 20_000,
  /** Long-poll time of one queue if a receiver alternates between queues or scans dead letters. */
  alternatingWaitMs: 1_000,
  /** Longest delay of a message: the limit of SQS. A nudge that is due later is sent again. */
  messageDelayMaxMs: 900_000,
  /** Longest visibility timeout of a message after its delivery: the limit of SQS. */
  visibilityTimeoutMaxMs: 43_200_000,
  /** Attempts for the entries of a batch that were not processed. */
  batchAttemptsMax: 5,
  /** Pause before the second attempt of a batch or put. It doubles with each further attempt. */
  retryPauseMs: 100,
  /** Time in which dead letters are invisible to other readers during a scan. */
  deadLetterVisibilityMs: 30_000,
  /**
   * Refusals of one message by execution environments that serve other stacks. The environment that
   * makes the last refusal ends, because only a new environment can serve any stack.
   */
  messageRefusalsMax: 8,
  /**
   * Time without work after which a task of the long pool calls the scaler, which removes all tasks
   * of an empty queue. A task costs some cents an hour, and a new one starts within two minutes.
   */
  longPoolIdleMs: 900_000,
  /**
   * Interval at which a busy task of the long pool calls the scaler. If a message waits for so long
   * while tasks run, all of them are busy, and the scaler adds a task.
   */
  longPoolCheckMs: 60_000,
  /**
   * Shortest time between two calls of the scaler that one process makes for its messages to one
   * queue. All sends within this time cause one call at its end. Otherwise a large deployment would
   * exhaust the requests of ECS.
   */
  scalerPauseMs: 10_000,
  /** Dead letters of one queue that one scan reads. */
  deadLettersMax: 5_000,

  /** Size of one blob. A process holds a whole blob in memory, like an asset. */
  blobBytesMax: 512 * 1024 * 1024,
  /** Blobs per page of the sweep's listing: the limit of S3. */
  blobsPerPage: 1_000,
  /** Attempts of a put that conflicts with other writers or finds a damaged blob at its key. */
  putAttemptsMax: 5,
  /** Versions of one plugin that a search for the newest version checks. */
  pluginVersionsMax: 1_000,
  /** Archives per page of the list of plugins. Each archive costs a read of its record. */
  pluginsPerPage: 50,
} as const
