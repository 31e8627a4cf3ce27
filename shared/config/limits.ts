/**
 * config: numbers and environment variables, each defined once. Imports nothing of the project.
 *
 * Invariant: a number on which two modules must agree, or which an operator has to know, is defined
 * in this folder. Its name or its comment contains its unit. A number that matters to one module
 * only stays in that module.
 */

/** The limits and defaults that no narrower table of this folder contains. */
export const limits = {
  /** Duration of a lease without renewal. A lease survives three lost renewals in a row. */
  leaseMs: 60_000,
  /** Interval of lease renewals: a quarter of the lease. */
  leaseRenewMs: 15_000,
  /**
   * Time without a successful renewal after which an executor ends its plugins. The time ends
   * before other processes may consider the executor dead.
   */
  leaseGiveUpMs: 40_000,
  /**
   * Extra time that recovery waits after a lease expires. It covers clock differences and a slow
   * write.
   */
  leaseMarginMs: 30_000,
  /** Interval at which a generator checks whether an executor has died. */
  livenessCheckMs: 3_000,
  /** Interval at which the generator checks for lost arrivals, ready joins and lost owners. */
  sweepMs: 30_000,
  /** Delay of the watchdog nudge that a holder keeps scheduled for itself: lease plus margin. */
  watchdogNudgeMs: 90_000,
  /** Executors whose lease counters a watchdog nudge contains: some kilobytes. */
  watchdogExecutorsMax: 200,
  /**
   * Time before the end of a function's time limit at which the function begins to shut down. A
   * function with a short limit uses a fifth of its limit.
   */
  shutdownMarginMs: 10_000,
  /**
   * Time without a decision after which a generator may park. A generator with a short time limit
   * uses a quarter of its limit.
   */
  parkAfterMs: 30_000,

  /** Entries per page of the history and of the published versions. */
  historyPageEntries: 100,

  /** Resources of one import, and bytes of the file that lists them. */
  importResourcesMax: 10_000,
  importFileBytesMax: 16 * 1024 * 1024,

  /** View steps that a provider may report in one call. The executor holds them in memory. */
  viewStepsMax: 10_000,

  /**
   * Deployments from which a forecast reads durations, and operations of all these deployments
   * together.
   */
  forecastDeploymentsMax: 5,
  forecastOperationsMax: 2_000,
  /** Expected duration of an operation without a known duration. */
  expectedOperationMs: 1_000,
  /**
   * Shortest duration of an operation that is recorded as slow. The next operation of its kind then
   * gets enough time.
   */
  slowOperationMs: 5_000,
  /**
   * Longest expected time from the start of an executor to its first begin. A function uses a
   * quarter of its own time limit, if that is shorter.
   */
  executorStartMs: 5_000,
  /**
   * Age up to which an executor reuses the plugins of an earlier function run. The credentials of
   * the plugins then remain valid for one more function run.
   */
  idlePluginsMs: 300_000,
  /** Shortest time limit of a function. A program and its plugins need seconds to start. */
  functionLimitMinMs: 5_000,

  /** Deliveries after which a chain message that was not removed becomes a dead letter. */
  deliveriesMax: 5,
  /** Delay before a failed delivery is delivered again. It doubles each time. */
  redeliveryMs: 1_000,
  /** Visibility timeout of a delivered chain, unless extended: one lease. */
  visibilityMs: 60_000,
  /** Operations per message, and operations that one executor runs concurrently. */
  chainOperationsMax: 64,
  /**
   * Time for which a generator sends all operations to the queue, after it had more operations than
   * it may run in its own process.
   */
  inlinePauseMs: 10_000,
  /** Attempts of a call that error hooks repeat, including the first attempt: Pulumi's limit. */
  errorHookTriesMax: 100,
  /** Operations that one operation may need or release. Wider graphs get joins. */
  edgesPerOperationMax: 32,
  /**
   * Time for which a failed write of an outcome is retried. The time lets an operator free disk
   * space. Until the write succeeds, only this process has the outcome.
   */
  outcomeRetryMs: 600_000,
  /** Time for which a failed request to the store or blobs, or a failed send, is retried. */
  storeRetryTimeMs: 20_000,
  /**
   * Age from which a waiting edit of a state is refused. By then its sender has stopped waiting,
   * and no longer expects the edit. The age is longer than the delay of a watchdog nudge, which can
   * free a stack.
   */
  editWaitMs: 300_000,
  /** Size of a program's files before packing: the space that a function has for unpacking. */
  programBytesMax: 1_000_000_000,
  /** Size of a packed program. A process holds one copy in memory. */
  archiveBytesMax: 250_000_000,
  /** Files of a packed program. */
  archiveFilesMax: 100_000,
  /**
   * Time after the creation of a request until the ended request is removed. Until then, a repeated
   * request with its key gets the same response.
   */
  requestRetentionMs: 30 * 24 * 3_600_000,

  /** Size of an update plan. It is held in memory. */
  planBytesMax: 100_000_000,
  /** Random characters that one placeholder of a name pattern may request. */
  namePlaceholderCharsMax: 256,

  /**
   * Registrations in one log record, so that a record does not grow with the number of decisions.
   */
  registrationsPerRecordMax: 100,
  /**
   * Registrations of a program that a generator decodes and decides at the same time. The limit
   * is raised to twice the number of operations that may run concurrently, if that is more. Each
   * registration needs some 30 KB of memory until it ends.
   */
  registrationsInWindow: 256,
  /**
   * Concurrent calls on one connection of a program. The limit is removed if more than half of
   * these calls may be waiting for other calls. An open call needs some 5 KB of memory.
   */
  streamsPerConnection: 1024,
  /** Operations of one plan page: a page stays below half a megabyte. */
  planPageOperationsMax: 500,
  /** Source positions of unchanged resources that one deployment updates: one record. */
  sourcePositionsMax: 500,
  /** Ids in one read of heads or ends. */
  idsPerReadMax: 500,
  /** Targeted deployments of one stack that may be open at the same time. */
  openDeploymentsMax: 8,
  /** Attempts to start a targeted deployment or to extend its claim while the stack changes. */
  claimAttemptsMax: 50,
  /**
   * Size above which a record goes to the blob store. A DynamoDB item is limited to 400 KB, and
   * contains the adapter's own attributes too.
   */
  recordBytesMax: 256 * 1024,
  /** Default time for which the records of a closed deployment are kept. */
  recordRetentionMs: 30 * 24 * 3_600_000,
  /** Default number of published versions that a stack keeps, including the current one. */
  retainedVersions: 100,
  /**
   * Time after a close in which provider calls of an owner on an unreachable host may still take
   * effect.
   */
  lateWindowMs: 15 * 60_000,
  /**
   * Age at which an unreferenced blob is set aside, and time from then until its removal. The
   * writer of a blob stores the reference within this time.
   */
  blobGraceMs: 24 * 3_600_000,
  /**
   * Deployments whose records one command removes at its end. The cleanup must not delay the
   * command noticeably.
   */
  deploymentsPerCleanup: 3,
  /**
   * Rows that one transaction of a removal deletes. The limit bounds how long other requests wait.
   */
  rowsPerRemoval: 2_000,

  /**
   * Length of one line on the store's socket. The receiver of a longer line closes the connection,
   * so that no line can exhaust memory.
   */
  storeLineCharsMax: 64 * 1024 * 1024,
  /**
   * Length above which a reply to a read of many records is cut. The adapter reads the remaining
   * records with further requests.
   */
  replyCharsMax: 4 * 1024 * 1024,
  /**
   * Requests in one transaction. The limit bounds how long the first request waits for the commit.
   */
  commitRequestsMax: 1024,
  /**
   * Time for which SQLite waits for a lock that another process holds briefly, for example a
   * backup.
   */
  databaseBusyMs: 5_000,
  /** Time in which the owner of the store must answer a new connection, unless it is only busy. */
  storeConnectMs: 10_000,
  /**
   * Time in which an owner that is known to run must answer. Many commands at the same time take
   * all cores, so a new owner may start late.
   */
  storeBusyOwnerMs: 60_000,
  /**
   * Time in which a process becomes the owner or a client of the store, even if the owner changes
   * several times.
   */
  storeConnectTotalMs: 300_000,
  /**
   * First and longest pause between two attempts to own the store or to connect. An owner needs
   * some 100 ms to start. With longer pauses, many waiting processes leave it the processor time.
   */
  storeConnectPauseMs: 20,
  storeConnectPauseMaxMs: 500,
  /**
   * Time without a message from the owner of the store, while a request waits, after which the
   * owner counts as hung. A slow owner that answers other requests is not hung. Also the time that
   * a backend has to answer a request for a part or a blob of a journal copy.
   */
  storeResponseMs: 30_000,
  /**
   * Length of a Unix socket path. macOS allows 104 bytes and Linux 108, including the terminator.
   */
  socketPathBytesMax: 100,

  /**
   * Size of one file of an asset or archive. A process reads a whole file, and a larger file would
   * exhaust a function's memory.
   */
  assetBytesMax: 512 * 1024 * 1024,
  /** Time that the server of a remote asset has to complete a request. */
  assetFetchMs: 300_000,
} as const
