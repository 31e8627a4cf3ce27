/** Limits of triggers (webhooks, schedules, notifications) and of outbound calls. */
export const triggerLimits = {
  /**
   * Size of a document as JSON text. A document fits into a DynamoDB item, and a page of documents
   * into one reply of the embedded store.
   */
  documentBytesMax: 100 * 1024,
  /** Documents per page. With the largest documents a page has 2.5 MB. */
  documentsPerPage: 25,
  /** Expired documents that each put into the embedded store removes. DynamoDB removes its own. */
  documentsClearedPerPut: 20,
  /** Expired marks that each new mark in the embedded store removes. DynamoDB removes its own. */
  marksClearedPerMark: 20,

  /**
   * Size of a webhook body. GitHub pushes stay below it, except those with thousands of commits.
   */
  webhookBytesMax: 1024 * 1024,
  /** Allowed clock difference between a sender and this installation, in either direction. */
  replayWindowMs: 5 * 60_000,
  /**
   * Time for which a delivery is recognized as a repetition. GitHub allows redelivery for three
   * days.
   */
  deliveryRetentionMs: 7 * 24 * 3_600_000,
  /**
   * Time after which the process of a delivery is considered dead, and another process may handle
   * the delivery.
   */
  deliveryClaimMs: 60_000,
  /** Time for which a webhook function keeps an opened secret in memory. */
  openedSecretMs: 5 * 60_000,
  /** Opened secrets in memory: more than the webhooks of most installations. */
  openedSecretsMax: 200,
  /** Rules per webhook, and patterns per rule. */
  rulesMax: 100,
  patternsMax: 50,
  /**
   * Length of one pattern. With `patternsMax` and `pathsMax` it bounds the time of matching.
   */
  patternCharsMax: 200,
  /**
   * Paths of one event that are matched. An event with more paths counts as an event with unknown
   * paths.
   */
  pathsMax: 10_000,
  /** Branches and tags that one delivery of Bitbucket may change. */
  changesMax: 100,
  /** Commits that GitHub lists per push. A push with this number of commits may have more. */
  pushCommitsMax: 2048,

  /** `--parallel` of a triggered deployment. One executor runs as many operations concurrently. */
  triggeredParallel: 64,
  /** Longest interval of a `rate`: ten years. Dates far in the future cannot be represented. */
  rateIntervalMaxMs: 10 * 366 * 24 * 3_600_000,
  /** Projects that a shared schedule names. */
  selectedProjectsMax: 100,
  /** Longest time after a read of a stack for which a shared schedule may skip the stack. */
  skipReadWithinMaxMs: 7 * 24 * 3_600_000,
  /** Interval of the calls of a shared schedule with a jitter, on AWS. */
  sharedScheduleCallMinutes: 5,
  /** Interval at which a server checks schedules. Cron expressions have a resolution of minutes. */
  scheduleCheckMs: 1_000,
  /**
   * Time between a destroy and the removal of its stack by a schedule. Notifications of the destroy
   * are delivered in this time.
   */
  stackRemovalDelayMs: 60_000,
  /** Interval at which a server looks for expired approvals. */
  approvalCheckMs: 10_000,
  /** Allowed lead of EventBridge Scheduler's clock over the clock of the called function. */
  schedulerClockLeadMs: 2_000,
  /** Retries of EventBridge Scheduler after a failed call, and the time in which it retries. */
  schedulerRetriesMax: 10,
  schedulerRetryMs: 3_600_000,
  /**
   * Age above which scheduled calls without a schedule document are removed. The document of a
   * younger call may not be written yet.
   */
  orphanedCallAgeMs: 600_000,
  /** Largest jitter of a schedule: the longest time window of EventBridge Scheduler. */
  jitterMaxMs: 24 * 3_600_000,

  /**
   * Attempts of a notification before it becomes a dead letter. With the pauses below, they take
   * about two hours.
   */
  notificationAttemptsMax: 8,
  /**
   * Pause before the second attempt. Each further pause is three times as long, up to the longest
   * pause.
   */
  notificationRetryMs: 10_000,
  notificationRetryMaxMs: 3_600_000,
  /**
   * Age from which on the end of a deployment causes no notification. The user has checked the
   * result by then.
   */
  notifiableAgeMaxMs: 3_600_000,
  /** Pages of documents that one scan reads. */
  documentPagesMax: 40,
  /** Visibility timeout of a message in delivery: longer than one call takes. */
  notificationVisibilityMs: 360_000,
  /** Long-poll time of one receive of messages. */
  notificationWaitMs: 20_000,
  /** Messages that are delivered concurrently. */
  concurrentNotifications: 5,
  /** Dead letters that one process keeps in memory. */
  deadNotificationsMax: 1_000,
  /** Time that a receiver has to respond. */
  notificationTimeoutMs: 10_000,

  /** Deliveries that the history of a notification keeps, and its size. Older ones are dropped. */
  deliveriesMax: 20,
  deliveriesBytesMax: 64 * 1024,
  /** Length of the kept payload of a delivery. Only a whole payload can be sent again. */
  deliveryPayloadCharsMax: 16_000,
  /** Bytes kept from the start of a receiver's response, and characters kept of its headers. */
  deliveryResponseBytesMax: 4 * 1024,
  deliveryHeadersCharsMax: 2_000,
  /**
   * Time for which the API waits until another function has sent a delivery, and the interval of
   * its checks. The time is longer than the start of that function and the call of the receiver.
   */
  deliveryConfirmationMs: 30_000,
  deliveryCheckMs: 300,
  /** Attempts to change a history that other deliveries change at the same time. */
  deliveryHistoryAttemptsMax: 10,

  /** Default maximum size of a response to an outbound call. */
  outboundBytesMax: 256 * 1024,
  /** Timeout of one outbound call, from name resolution to the last byte. */
  outboundTimeoutMs: 15_000,
  /** Size of a packed repository archive. */
  archiveBytesMax: 200 * 1024 * 1024,
  /**
   * Size of the unpacked archive. It must fit into a function's scratch space beside the program's
   * packages.
   */
  archiveUnpackedBytesMax: 1024 * 1024 * 1024,
  /** Number of files, folders and links in an archive. */
  archiveEntriesMax: 100_000,
  /** Timeout of the download of a repository archive. */
  archiveTimeoutMs: 300_000,
  /** Redirects of an archive download. GitHub redirects once. */
  archiveRedirectsMax: 3,
  /** Length of a comment on GitHub, which allows 65,536 characters. */
  commentCharsMax: 60_000,
  /** Length of a comment on Bitbucket, which allows 32,768 characters. */
  bitbucketCommentCharsMax: 32_000,
  /** Comments per page, pages that one search reads, and bytes per page. */
  commentsPerPage: 50,
  commentPagesMax: 20,
  commentPageBytesMax: 16 * 1024 * 1024,
  /** Length of the description of a commit status on GitHub. */
  statusCharsMax: 140,
} as const
