/** Limits of programs from a repository. */
export const programLimits = {
  /**
   * Time limit of the installer's function. A generator awaits the function within its own limit of
   * fifteen minutes, and needs the remaining time to begin the deployment.
   */
  installerTimeoutMs: 600_000,
  /**
   * Time after which a generator calls no second installer when the first one died. Both calls must
   * fit into the time limit of the generator.
   */
  installerRetryMs: 120_000,
  /** Calls of the installer for one request, and the pause between two of them. */
  installerTriesMax: 3,
  installerPauseMs: 1_000,
  /** Timeout of a fetch by a generator, for a repository that requires a credential. */
  sourceTimeoutMs: 60_000,
  /**
   * Fraction of a generator call's time limit within which the generator may begin another request.
   * The remaining time is longer than `fetchTriesMax` fetches and an installation, so these end
   * within the call.
   */
  beginNextFraction: 1 / 20,
  /** Validity of an address for the packed program: longer than the installer runs. */
  installAddressExpiresMs: 900_000,
  /** Attempts to upload the packed program. */
  uploadTriesMax: 3,
  /**
   * Lines of a message of the installer that a generator passes on, and characters of a line and of
   * a hint. The output of a package manager has 20 lines.
   */
  installerLinesMax: 30,
  installerLineCharsMax: 400,
  /** Timeout of a package manager: a third of the longest function run. */
  installTimeoutMs: 300_000,
  /**
   * Characters of a package manager's output that are kept for the error message. The debug lines
   * of pip after the refusal of an index have some 6,000.
   */
  outputTailCharsMax: 32_000,
  /** Attempts to fetch the archive of a repository. */
  fetchTriesMax: 3,
  /** Pause before the second attempt. It doubles before the third. */
  fetchPauseMs: 1_000,
  /** Size of a program of Terraform that is converted. Large ones have some 2 MB. */
  terraformProgramBytesMax: 32_000_000,
} as const

/**
 * Files of compiled code for one version of Node, one for each module. A program with a large SDK
 * has 1,200 files and 10 MB, so 20,000 files have some 160 MB.
 */
export const compiledFilesMax = 20_000

/** Time without a compilation after which the compiled code of a version of Node is removed. */
export const compiledRetentionMs = 90 * 86_400_000
