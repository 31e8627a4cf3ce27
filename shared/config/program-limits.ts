/** Limits of programs from a repository. */
export const programLimits = {
  /** Timeout of a package manager: a third of the longest function run. */
  installTimeoutMs: 300_000,
  /** Characters of a package manager's output that are kept for the error message. */
  outputTailMax: 8_000,
  /** Attempts to fetch the archive of a repository. */
  fetchTriesMax: 3,
  /** Pause before the second attempt. It doubles before the third. */
  fetchPauseMs: 1_000,
} as const
