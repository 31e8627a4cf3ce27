/** Limits of programs that are fetched from a repository. */
export const programLimits = {
  /** How long a package manager may take: a third of the longest life of a function. */
  installTimeoutMs: 300_000,
  /** Characters of what it says that are kept for its failure. */
  outputTailMax: 8_000,
  /** How often the archive of a repository is asked for. */
  fetchTriesMax: 3,
  /** Before the second time, and twice as long before the third. */
  fetchPauseMs: 1_000,
} as const
