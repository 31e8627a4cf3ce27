/** Limits of the local cloud, which runs the functions of an installation on one machine. */
export const cloudLimits = {
  /** From the start of an environment to its first question for work, on a busy machine. */
  initMs: 30_000,
  /** An environment without work stays so long, unless set otherwise. */
  idleMs: 300_000,
  /** How often environments are looked at that have had no work. */
  lookMs: 1_000,
  /** A task of the long pool is told to end when its queue was empty so long. */
  taskIdleMs: 30_000,
  /** What a function may answer at once: the bound of Lambda. */
  answerBytesMax: 6 * 1024 * 1024,
  /** The body of a request over HTTP: the bound of API Gateway. */
  requestBytesMax: 10 * 1024 * 1024,
  /** Status and headers of a streamed answer. */
  headBytesMax: 64 * 1024,
  /** One line of an environment; the rest of a longer one is left out. */
  lineCharsMax: 2_000,
  /** Before a queue that refused is asked again. */
  pollPauseMs: 1_000,
  /** How often the local scheduler looks for schedules that are new, gone or due. */
  scheduleLookMs: 1_000,
  /** Retries of a call that nobody waits for, and the pause before each: those of Lambda. */
  callRetriesMax: 2,
  callRetryMs: 60_000,
  /** Between two looks at a deployment that is waited for. */
  askEveryMs: 200,
  /** A deployment that `npm run cloud -- --deploy` waits for. */
  deployMs: 1_800_000,
} as const
