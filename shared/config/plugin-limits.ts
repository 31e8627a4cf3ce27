/** Limits of plugin processes and their connections. */
export const pluginLimits = {
  /** Time until a plugin prints its port. A plugin from TypeScript source checks types first. */
  portTimeoutMs: 120_000,
  /** The same time for a plugin that waits for a debugger: the longest timer of Node. */
  debuggerTimeoutMs: 2_147_483_647,
  /** Time from the printed port to the first response. */
  firstResponseTimeoutMs: 10_000,
  /** Pause between attempts of a first call that could not connect. */
  connectRetryMs: 10,
  /** Attempts to start a plugin that fails immediately. */
  startsMax: 3,
  /** Longest pause before the second start. It doubles before the third. */
  startPauseMs: 400,
  /** Attempts of a call whose request was never written because the plugin was unreachable. */
  callAttemptsMax: 3,
  /** Longest pause before the second attempt. It doubles before the third. */
  callRetryPauseMs: 400,
  /** Time for the response to Cancel when a plugin is shut down. */
  cancelTimeoutMs: 5_000,
  /** Time for the responses to Cancel when a user cancels the deployment. */
  deploymentCancelTimeoutMs: 30_000,
  /** Time from SIGINT to SIGKILL. */
  killDelayMs: 5_000,
  /**
   * Time that a process has to exit after its connection broke, so that its last output can be
   * reported.
   */
  exitGraceMs: 1_000,
  /** Size of one gRPC message in either direction. */
  messageBytesMax: 400 * 1024 * 1024,
  /** Lines of stderr that are kept for a crash report. */
  crashReportLines: 20,
  /** Characters above which a line of a plugin is reported in pieces. */
  lineCharsMax: 1024 * 1024,
  /** Time until a Terraform provider prints its handshake, as in Terraform. */
  handshakeTimeoutMs: 60_000,
  /** Time for a Terraform provider to exit after Shutdown, as in Terraform. */
  providerShutdownMs: 2_000,
  /** Lines of a Go panic that are kept for a crash report: the first ones have the reason. */
  panicLinesMax: 60,
} as const
