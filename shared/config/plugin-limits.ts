/** Limits around plugin processes and their connections. */
export const pluginLimits = {
  /** A plugin from TypeScript source checks types before it prints its port. */
  portMs: 120_000,
  /** One that waits for a debugger: as long as a timer may be. */
  debuggedMs: 2_147_483_647,
  /** From the port to the first answer. */
  aliveMs: 10_000,
  /** Between tries of a first call that found nobody. */
  aliveRetryMs: 10,
  /** How often a plugin that fails at once is started. */
  startsMax: 3,
  /** Before the second start, at most; twice as long before the third. */
  startPauseMs: 400,
  /** How often a call is tried that was never written because nobody was there to hear it. */
  triesMax: 3,
  /** Before the second try, at most; twice as long before the third. */
  tryPauseMs: 400,
  /** For the answer to Cancel when a plugin is to end. */
  cancelMs: 5_000,
  /** For the answers to Cancel when a person cancels. */
  cancelAllMs: 30_000,
  /** From SIGINT to SIGKILL. */
  interruptMs: 5_000,
  /** For the end of a process whose connection broke, so that its last words can be told. */
  lastWordsMs: 1_000,
  /** One gRPC message, either way. */
  messageBytes: 400 * 1024 * 1024,
  /** Lines of stderr kept for a report of a crash. */
  keptLines: 20,
  /** A longer line is told in pieces. */
  lineBytes: 1024 * 1024,
} as const
