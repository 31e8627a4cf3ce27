/** Limits of plugin processes and their connections. */
export const pluginLimits = {
  /** Time until a plugin prints its port. A plugin from TypeScript source checks types first. */
  portMs: 120_000,
  /** The same time for a plugin that waits for a debugger: the longest timer of Node. */
  debuggedMs: 2_147_483_647,
  /** Time from the printed port to the first response. */
  aliveMs: 10_000,
  /** Pause between attempts of a first call that could not connect. */
  aliveRetryMs: 10,
  /** Starts of a plugin that fails immediately. */
  startsMax: 3,
  /** Longest pause before the second start. It doubles before the third. */
  startPauseMs: 400,
  /** Attempts of a call whose request was never written because the plugin was unreachable. */
  triesMax: 3,
  /** Longest pause before the second attempt. It doubles before the third. */
  tryPauseMs: 400,
  /** Time for the response to Cancel when a plugin is shut down. */
  cancelMs: 5_000,
  /** Time for the responses to Cancel when a user cancels the deployment. */
  cancelAllMs: 30_000,
  /** Time from SIGINT to SIGKILL. */
  interruptMs: 5_000,
  /**
   * Time that a process whose connection broke gets to exit, so that its last output can be
   * reported.
   */
  lastWordsMs: 1_000,
  /** Size of one gRPC message in either direction. */
  messageBytes: 400 * 1024 * 1024,
  /** Lines of stderr that are kept for a crash report. */
  keptLines: 20,
  /** Length above which a line is reported in pieces. */
  lineBytes: 1024 * 1024,
} as const
