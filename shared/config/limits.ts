/**
 * config: numbers and environment variables, each in one place. Imports nothing of the project.
 *
 * Invariant: a number that two modules must agree on, or that an operator may ask about, stands
 * here with its unit in its name and the reason beside it; modules have no limits of their own.
 */

/** Every limit and default of Antichain. */
export const limits = {
  /** A lease lasts this long without renewal: four renewals may be lost before anyone acts. */
  leaseMs: 60_000,
  /** A quarter of the lease. */
  leaseRenewMs: 15_000,
  /** Whoever could not renew for so long ends its plugins itself, before others may act. */
  leaseGiveUpMs: 40_000,
  /** Recovery waits for lease plus this: two clocks and a slow write lie between the two sides. */
  leaseMarginMs: 30_000,
  /** How often a generator looks whether an executor is gone. */
  lookMs: 3_000,
  /** How often the generator looks for lost arrivals, ready joins and lost owners. */
  sweepMs: 30_000,
  /** The delayed nudge that a holder keeps ahead of itself: lease plus margin. */
  deadManNudgeMs: 90_000,
  /** Executors of which a dead-man nudge says how they stood: some kilobytes. */
  seenExecutorsMax: 200,
  /** A function begins to leave so long before its time is over, or a fifth of a short one. */
  leaveMs: 10_000,
  /** A generator with nothing to decide for so long hands over; a quarter of a short life. */
  parkAfterMs: 30_000,

  /** Lines of the history, or published versions, of one page of either. */
  pastPageLines: 100,

  /** Resources that one import may name, and bytes of the file that names them. */
  importedMax: 10_000,
  importFileBytesMax: 16 * 1024 * 1024,

  /** Steps of views that a provider may tell of in one call: they are held in memory. */
  viewStepsMax: 10_000,

  /** What an operation of which nothing is known is expected to take. */
  expectedMs: 1_000,
  /** An operation that took longer is remembered, so that the next one gets the time it needs. */
  slowMs: 5_000,
  /** From the start of an executor to its first begin, at most; a quarter of a short life. */
  executorStartMs: 5_000,
  /**
   * How long an executor's plugins may wait for the next call: credentials that they got are good
   * for as long as a function lives after that.
   */
  warmMs: 300_000,
  /** The shortest time limit of a function: a program and its plugins need seconds to start. */
  functionLimitMinMs: 5_000,

  /** A chain message that was delivered so often without being removed is a dead letter. */
  deliveriesMax: 5,
  /** A delivery that could not be handled comes again after this, each time twice as late. */
  retryMs: 1_000,
  /** A delivered chain is invisible to others for so long, unless extended: one lease. */
  visibilityMs: 60_000,
  /** Operations that one message names; also what one executor runs at once. */
  chainOperationsMax: 64,
  /** How often error hooks have a failed call made, the first time included: Pulumi's own limit. */
  errorHookTriesMax: 100,
  /** How many operations one operation may need or release; wider graphs get joins. */
  fanMax: 32,
  /**
   * An outcome that the store cannot take is kept so long: a person needs time to make room on a
   * disk, and what only this process knows is unknown for ever without it.
   */
  outcomeKeptMs: 600_000,
  /** A read that a whole deployment waits upon is tried so long, as is a give-back. */
  storeTriedMs: 20_000,
  /** Bytes of a program's files before they are packed: what a function has room to unpack. */
  programBytesMax: 1_000_000_000,
  /** Bytes of a packed program: it is held in memory once. */
  archiveBytesMax: 250_000_000,
  /** Files of a packed program. */
  archiveFilesMax: 100_000,
  /** How long the key of a request that has ended is known: who asks again gets the same. */
  requestsKeptMs: 30 * 24 * 3_600_000,

  /** Letters of an update plan: it is held in memory. */
  planBytesMax: 100_000_000,
  /** Letters that one part of a name pattern may ask chance for. */
  namePartMax: 256,

  /** Registrations that one record of the log holds: none grows with what is decided at once. */
  decidedPerRecordMax: 100,
  /** Operations of one plan page: a page stays below half a megabyte. */
  planPageOperationsMax: 500,
  /** Unchanged resources whose moved line in the program one deployment writes: one record. */
  positionsMax: 500,
  /** Ids that one read of heads or ends may name. */
  idsPerReadMax: 500,
  /**
   * A record larger than this goes to the blob store: DynamoDB's items end at 400 KB, and what an
   * adapter writes beside the record must fit too.
   */
  recordBytesMax: 256 * 1024,
  /** Records stay so long after the close of their deployment, unless set otherwise. */
  recordsKeptMs: 30 * 24 * 3_600_000,
  /** Published versions of a stack that stay, the current one among them, unless set otherwise. */
  versionsKept: 100,
  /** Requests of an owner on a host that cannot be asked may land so long after the close. */
  lateWindowMs: 15 * 60_000,
  /** A blob without a reference stays so long: whoever put it writes the reference meanwhile. */
  blobGraceMs: 24 * 3_600_000,
  /** Deployments whose records the end of one command removes: it shall not be felt. */
  deploymentsPerTidy: 3,
  /** Rows that one transaction of a removal takes away: bounds how long others wait for it. */
  rowsPerRemoval: 2_000,

  /** One line of the store's socket; a longer one ends the connection instead of filling memory. */
  frameBytesMax: 64 * 1024 * 1024,
  /** One reply of a read of many records; callers are served page by page inside the adapter. */
  replyBytesMax: 4 * 1024 * 1024,
  /** Requests of one transaction: bounds how long the first of them waits for its commit. */
  commitRequestsMax: 1024,
  /** How long SQLite waits for a lock that another process (a backup, say) holds for moments. */
  databaseBusyMs: 5_000,
  /** How long a process tries to own the store or to reach its owner before it gives up. */
  storeConnectMs: 10_000,
  /** Pause between two such tries: an owner needs some 100 ms to start. */
  storeRetryMs: 20,
  /** How long the owner of the store may leave a request without any answer. */
  storeAnswerMs: 30_000,
  /** A path of a Unix socket must fit 104 bytes on macOS and 108 on Linux, with its end mark. */
  socketPathBytesMax: 100,

  /**
   * One file of an asset or archive; it is read as a whole, so more would fill a function's memory.
   */
  assetBytesMax: 512 * 1024 * 1024,
  /** How long the server of a remote asset may leave a request without its end. */
  assetFetchMs: 300_000,
} as const
