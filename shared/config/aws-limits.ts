/** Limits around the clients of AWS and its queues and blobs. */
export const awsLimits = {
  /** How often the SDK sends one request before its failure is ours to handle. */
  attemptsMax: 4,
  /** From the first packet to a connection. */
  connectMs: 3_000,
  /** From the last byte of a request to the first of its answer. */
  answerMs: 10_000,
  /** The same where a body of half a gigabyte may be on its way. */
  blobAnswerMs: 120_000,
  /**
   * The same for a call of compaction, which folds a whole deployment before it answers. It is
   * called once: whoever closes the deployment must have the time to fold by itself then.
   */
  compactionAnswerMs: 300_000,
  /** Connections to one service: as many as an executor runs operations at once. */
  socketsMax: 64,

  /** Entries of one batch of messages; the bound of SQS. */
  batchMax: 10,
  /** One message, and all of one batch together: the bound of SQS, 1 MiB. */
  messageBytesMax: 1_048_576,
  /** How long one receive may wait at the server: the bound of SQS. */
  receiveWaitMs: 20_000,
  /** How long one queue is waited upon where two are to be served. */
  turnMs: 1_000,
  /** The longest delay of a message: the bound of SQS. A nudge that is later is sent again. */
  delayMs: 900_000,
  /** From its delivery a message may stay invisible for so long at most: the bound of SQS. */
  loanMs: 43_200_000,
  /** How often what a batch left undone is tried again. */
  batchTriesMax: 5,
  /** Before the second try of a batch at most; twice as long before each later one. */
  batchPauseMs: 100,
  /** How long dead letters are hidden from others while they are looked through. */
  deadLetterLoanMs: 30_000,
  /** Dead letters of one queue that one look goes through. */
  deadLettersMax: 5_000,

  /** One blob: it is in memory as a whole, as an asset is. */
  blobBytesMax: 512 * 1024 * 1024,
  /** Blobs that one page of the sweep lists: the bound of S3. */
  blobsPerPage: 1_000,
  /** How often a put is tried that others disturb, or that finds a damaged blob in its place. */
  putTriesMax: 5,
  /** Versions of one plugin that are looked at for the newest. */
  pluginVersionsMax: 1_000,
} as const
