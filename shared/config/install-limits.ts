/** Limits around the installation of plugins. */
export const installLimits = {
  /** The archive of a plugin, as it is sent: the largest known have some 200 MB. */
  archiveBytesMax: 2_000_000_000,
  /** Its files, unpacked. */
  filesMax: 200_000,
  bytesMax: 8_000_000_000,
  /** What a server says of a release. */
  releaseBytesMax: 10_000_000,
  /** How often a download is tried (Pulumi's number). */
  triesMax: 5,
  /** Before the second try; twice as long before each later one (Pulumi's number). */
  tryPauseMs: 80,
  /** A server that sends nothing for so long is given up. */
  silentMs: 60_000,
  /** Between two looks at an installation that another process does. */
  lockPauseMs: 100,
  /** One call of Git. */
  gitMs: 900_000,
  /** What installs the dependencies of a plugin from source. */
  dependenciesMs: 900_000,
} as const
