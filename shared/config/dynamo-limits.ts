/** Limits of the DynamoDB adapters. */
export const dynamoLimits = {
  /**
   * Connection timeout. Inside one region a connection takes milliseconds, unless this process is
   * busy.
   */
  connectTimeoutMs: 2_000,
  /**
   * Timeout of one attempt of one request. The largest request, a batch read of 16 MB, takes a
   * second or two.
   */
  requestTimeoutMs: 5_000,
  /** Attempts of a request that fails temporarily: throttled, 5xx, no response. */
  transientAttemptsMax: 4,
  /**
   * Sockets of one process: one for each of 64 concurrent operations, and some for the generator.
   */
  socketsMax: 96,
  /** Pauses of a request after conflicts, temporary failures and unprocessed items together. */
  pausesMax: 10,
  /**
   * Maximum of the first pause, and maximum of any pause. The maximum doubles with each pause, and
   * the pause itself is random.
   */
  firstRetryPauseMs: 20,
  longestRetryPauseMs: 1_000,

  /** Items of one batch read: the limit of AWS. */
  itemsPerReadMax: 100,
  /** Items of one batch write: the limit of AWS. */
  itemsPerWriteMax: 25,
  /** Concurrent batches of one call. A call with 500 ids needs one round. */
  concurrentBatches: 5,
  /** Pages of one call that reads a whole partition. Each has up to 1 MB. */
  pagesMax: 1_000,
  /**
   * Operations covered by one index item. A removal finds the records of the operations through
   * this item, without a scan.
   */
  operationsPerBlock: 500,
  /** Entries of one cache, such as that of the last log records. */
  cacheEntriesMax: 10_000,
  /** Leases or event chunks of a deployment that one call reads. */
  itemsPerListMax: 10_000,
  /** Lines of one event chunk: one batch of a writer. */
  chunkLinesMax: 500,
  /** Size of one event chunk before compression. */
  chunkBytesMax: 512 * 1024,
  /** Event chunks of one read. The reader continues from its cursor. */
  chunksPerReadMax: 20,
  /** Attempts to append a chunk while other writers take the same position first. */
  chunkAttemptsMax: 50,
  /** Items of one partition that are listed, and then removed or copied, per round. */
  itemsPerRound: 1_000,
  /** Stacks, deployments with records, or late outcomes that one call lists. */
  listEntriesMax: 100_000,
  /**
   * Time after which an incomplete rename counts as interrupted. No function runs for longer. A
   * rename that completes later is refused.
   */
  renameLimitMs: 3_600_000,
  /** Attempts of a start or publish that loses the race against other writers. */
  raceAttemptsMax: 10,
  /** Bytes of an external text inside a key. A longer text is replaced by its hash. */
  keyTextBytesMax: 512,
  /**
   * Time span of the hints that one item gathers, in ms. With `hintShards`, 1,000 executors write
   * 625 items per second to each partition. DynamoDB accepts 1,000.
   */
  hintBatchMs: 200,
  /** Partitions of the hints of a deployment. Each process writes to one of them. */
  hintShards: 8,
  /** Interval at which a listener reads the hints of other processes. */
  hintPollMs: 1_000,
  /** Largest clock difference of two functions at which hints between them still arrive. */
  hintClockDifferenceMs: 2_000,
  /** Maximum number of hint items of one page. */
  hintsPerReadMax: 1_000,
  /**
   * Maximum number of pages of one read of a partition. A partition takes about 1,000 writes a
   * second, so ten pages cover more than `hintClockDifferenceMs` and one poll.
   */
  hintPagesPerReadMax: 10,
  /** Time after which hints expire. */
  hintRetentionMs: 600_000,
  /** Partitions of one day of the audit log. */
  auditShards: 4,
  /** Time after which entries of the audit log expire. */
  auditRetentionMs: 400 * 24 * 3_600_000,
  /** Days of the audit log that one call lists. The entries of earlier days have expired. */
  auditDaysMax: 410,
  /** Ended requests that one call removes concurrently. */
  parallelRequestRemovals: 10,
  /** Kinds of slow operations of one stack that one call reads. */
  slowKindsMax: 1_000,
  /**
   * Time after which journal records expire. Retention normally removes the records earlier, and
   * the expiry is a safety net. A deployment that is not closed by then cannot be resumed.
   */
  journalExpiresMs: 400 * 24 * 3_600_000,
  /** Items of one transaction, a limit of DynamoDB. */
  transactionItemsMax: 100,
  /** Size of the items that one transaction copies. DynamoDB accepts 4 MB, with keys and names. */
  copiedBytesMax: 3 * 1024 * 1024,
} as const
