/** Limits of triggers: webhooks, schedules, notifications, and calls that leave for the outside. */
export const triggerLimits = {
  /** A document as JSON text: well below an item of DynamoDB, and a page of them below a reply. */
  documentBytesMax: 100 * 1024,
  /** Documents of one page: with the largest ones 2.5 MB. */
  documentsPerPage: 25,
  /** Marks whose time is over that one new mark clears away: none of its own keeps growing. */
  marksClearedPerMark: 20,

  /** The body of a webhook; GitHub's own pushes stay below it except with thousands of commits. */
  webhookBytesMax: 1024 * 1024,
  /** How far the clock of a sender may be from ours, either way. */
  replayWindowMs: 5 * 60_000,
  /** A delivery is known again for so long; GitHub lets a person repeat one for three days. */
  deliveryKeptMs: 7 * 24 * 3_600_000,
  /** Who began to handle a delivery is thought dead after this, and it may be handled again. */
  deliveryClaimMs: 60_000,
  /** Rules of one webhook, and patterns of one rule. */
  rulesMax: 100,
  patternsMax: 50,
  /** One pattern: with `patternsMax` and the paths of a push it bounds the work of matching. */
  patternCharsMax: 200,
  /** Paths of one event that are looked at; an event with more counts as one of unknown paths. */
  pathsMax: 10_000,
  /** GitHub lists so many commits of a push at most; at that number some may be left out. */
  pushCommitsMax: 2048,

  /** Operations in flight of a deployment that no person asked for: what one executor runs. */
  parallelOfTriggers: 64,
  /** How often a process that serves looks at the schedules; a cron expression knows minutes. */
  scheduleLookMs: 1_000,
  /** How far the clock of EventBridge Scheduler may be ahead of that of the function it calls. */
  schedulerAheadMs: 2_000,
  /** How often, and how long, EventBridge Scheduler calls again where nobody could be called. */
  schedulerRetriesMax: 10,
  schedulerRetryMs: 3_600_000,
  /** Calls that no document names are removed when they are older: one may be about to be named. */
  strayCallsMs: 600_000,
  /** The widest spread of a schedule: EventBridge Scheduler's window ends at a day too. */
  jitterMaxMs: 24 * 3_600_000,

  /** Attempts of a notification before it is a dead letter: with the waits below two hours. */
  notificationAttemptsMax: 8,
  /** Wait before the second attempt; each next one three times as long, up to the longest. */
  notificationRetryMs: 10_000,
  notificationRetryMaxMs: 3_600_000,
  /** A deployment that ended longer ago is told of to nobody: whoever wanted to know has looked. */
  newsMs: 3_600_000,
  /** Pages of documents that one look goes through. */
  pagesMax: 40,
  /** A message that somebody delivers is hidden from others so long: more than one call takes. */
  notificationLoanMs: 360_000,
  /** How long one receive of messages waits. */
  notificationLookMs: 20_000,
  /** Messages that are delivered at once. */
  notificationsAtOnce: 5,
  /** Dead letters that one process keeps in memory. */
  deadNotificationsMax: 1_000,
  /** A receiver has so long to answer. */
  notificationTimeoutMs: 10_000,

  /** What an answer from outside may have, unless its caller says otherwise. */
  outboundBytesMax: 256 * 1024,
  /** One call to the outside, from the look-up of the name to the last byte. */
  outboundTimeoutMs: 15_000,
  /** The archive of a repository, packed. */
  archiveBytesMax: 200 * 1024 * 1024,
  /** The same, unpacked: what fits beside a program's packages in a function's scratch space. */
  archiveUnpackedBytesMax: 1024 * 1024 * 1024,
  /** Files, folders and links of an archive. */
  archiveEntriesMax: 100_000,
  archiveTimeoutMs: 300_000,
  /** GitHub sends the reader of an archive on once. */
  archiveRedirectsMax: 3,
  /** What a person writes to be shown elsewhere: a comment on GitHub ends at 65,536 characters. */
  commentCharsMax: 60_000,
  /** Comments of a page, pages that are looked through, and bytes that a page may have. */
  commentsPerPage: 50,
  commentPagesMax: 20,
  commentPageBytesMax: 16 * 1024 * 1024,
  /** The description of a commit status on GitHub. */
  statusCharsMax: 140,
} as const
