/** Limits of plugin installation. */
export const installLimits = {
  /** Size of a plugin archive as downloaded. The largest known ones have some 200 MB. */
  archiveBytesMax: 2_000_000_000,
  /** Number and total size of unpacked files. */
  filesMax: 200_000,
  bytesMax: 8_000_000_000,
  /** Size of a server's description of a release. */
  releaseBytesMax: 10_000_000,
  /** Attempts of a download (Pulumi's number). */
  downloadAttemptsMax: 5,
  /** Pause before the second attempt. It doubles with each further attempt (Pulumi's number). */
  downloadRetryPauseMs: 80,
  /** Time after which a download without new data is aborted. */
  downloadIdleMs: 60_000,
  /** Time limit of one request of a function that downloads a plugin. */
  platformDownloadMs: 240_000,
  /** Redirects of one request to a registry. */
  redirectsMax: 10,
  /** Polling interval while another process installs the same plugin. */
  lockPollMs: 100,
  /** Timeout of one Git command. */
  gitTimeoutMs: 900_000,
  /** Timeout of the command that installs the dependencies of a plugin in source form. */
  dependenciesTimeoutMs: 900_000,
} as const
