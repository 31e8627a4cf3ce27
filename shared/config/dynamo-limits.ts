/** Every limit of the adapters for DynamoDB. */
export const dynamoLimits = {
  /** A connection inside one region is made in milliseconds, unless this process is busy. */
  connectMs: 2_000,
  /** One attempt of one request. The largest, 16 MB of a batch read, takes a second or two. */
  requestMs: 5_000,
  /** Attempts at a request that fails for now: throttled, 5xx, no reply. */
  attemptsMax: 4,
  /** Sockets of one process: 64 operations at once, each with a request, and the generator's. */
  socketsMax: 96,
  /** Repetitions of a request in all: conflicts, and what a batch left undone. */
  repeatsMax: 10,
  /** The first pause at most; each later one is twice as long, up to the longest. */
  repeatFirstMs: 20,
  repeatMostMs: 1_000,

  /** Items of one batch read, by AWS. */
  itemsPerReadMax: 100,
  /** Items of one batch write, by AWS. */
  itemsPerWriteMax: 25,
  /** Batches of one call at once: a call of 500 ids is one round. */
  batchesAtOnce: 5,
  /** Pages of one call that reads a whole partition; each has up to 1 MB. */
  pagesMax: 1_000,
  /** Operations whose place is noted by one item, so that a removal finds them without a scan. */
  blockOperations: 500,
  /** Deployments, blocks and writers of which a process remembers what it knows to be there. */
  rememberedMax: 10_000,
  /** Lines of one chunk of events: one batch of a writer. */
  chunkLinesMax: 500,
  /** Bytes of one chunk before it is compressed. */
  chunkBytesMax: 512 * 1024,
  /** Chunks of events that one read looks at; the reader goes on from its cursor. */
  chunksPerReadMax: 20,
  /** How often a chunk is tried when other writers are always faster. */
  chunkTriesMax: 50,
  /** Items of one partition that are found, and then removed, at once. */
  removedAtOnce: 1_000,
  /** Stacks, deployments whose records are kept, or late outcomes of one list. */
  listedMax: 100_000,
  /** How often a start or publish is tried that others get ahead of. */
  racesMax: 10,
  /** Bytes of a text from outside in a key; of a longer one its hash is there. */
  keyTextBytesMax: 512,
  /** Hints of so many ms are one item. */
  hintsGatherMs: 50,
  /** How often who listens to hints of other processes reads them. */
  hintsReadMs: 1_000,
  /** How far two functions' clocks may differ before a hint between them is lost. */
  hintsOverlapMs: 2_000,
  /** Items of hints of one read; more are read a second later. */
  hintsPerReadMax: 1_000,
  /** Hints go by themselves after this. */
  hintsKeptMs: 600_000,
  /** Partitions of one day of the audit log. */
  auditShards: 4,
  /** Entries of the audit log go by themselves after this. */
  auditKeptMs: 400 * 24 * 3_600_000,
  /** Days of the audit log that may have entries. */
  auditDaysMax: 410,
  /** Requests that are forgotten at once. */
  forgottenAtOnce: 10,
  /** Kinds of slow operations that one stack may have. */
  slowMax: 1_000,
  /**
   * Records of the journal go by themselves so long after they were written. It is a net under the
   * removal, which comes first; a deployment that is open for longer is not resumed.
   */
  journalExpiresMs: 400 * 24 * 3_600_000,
} as const
