/** Limits of the local cloud, which runs an installation on this machine. */
export const localCloudLimits = {
  /** Timeout for the first poll of a new environment, long enough for a busy machine. */
  environmentStartMs: 30_000,
  /** Default time after which an idle environment is stopped. */
  environmentIdleMs: 300_000,
  /**
   * Interval at which the usage of a sandbox is measured. Lambda itself enforces its limits without
   * such a delay.
   */
  usageCheckMs: 1_000,
  /** Size of /tmp of a function without a configured size: Lambda's default. */
  scratchMb: 512,
  /** File descriptors of all processes of an environment: Lambda's limit. */
  descriptorsMax: 1_024,
  /** Processes and threads of an environment, combined: Lambda's limit. */
  threadsMax: 1_024,
  /** Interval at which idle environments, and the desired number of tasks, are checked. */
  idleCheckMs: 1_000,
  /** Size of a function's event, and of its buffered response: the limit of Lambda. */
  payloadBytesMax: 6 * 1024 * 1024,
  /** Size of the event of an asynchronous call: the limit of Lambda since October 2025. */
  asynchronousBytesMax: 1024 * 1024,
  /** Size of an HTTP request body: the limit of API Gateway. */
  requestBytesMax: 10 * 1024 * 1024,
  /** Size of the status and headers of a streamed response. */
  headBytesMax: 64 * 1024,
  /** Length of one log line of an environment. Longer lines are truncated. */
  lineCharsMax: 2_000,
  /** Time after which a permission proxy closes an idle connection, as AWS's load balancers do. */
  proxyKeepAliveMs: 60_000,
  /** Number of decisions that a permission proxy caches. */
  permissionDecisionsMax: 10_000,
  /** Calls of one function in one recursive loop before Lambda stops the loop. */
  recursiveInvocationsMax: 16,
  /** Concurrent calls of an event source at first, as on Lambda. */
  sourceCallsAtFirst: 5,
  /** Further concurrent calls of a busy event source per minute, as on Lambda. */
  sourceCallsPerMinute: 300,
  /** Pause before the next request to a queue that returned an error. */
  pollPauseMs: 1_000,
  /** Interval at which the local scheduler checks for new, deleted and due schedules. */
  scheduleCheckMs: 1_000,
  /** Retries of a failed asynchronous call, as on Lambda. */
  callRetriesMax: 2,
  /** Pause before each retry of an asynchronous call: Lambda's pause before the first retry. */
  callRetryMs: 60_000,
  /** Polling interval while waiting for a deployment. */
  deploymentPollMs: 200,
  /** Time that `npm run cloud -- --deploy` waits for a deployment. */
  deploymentTimeoutMs: 1_800_000,
} as const
