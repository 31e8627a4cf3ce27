/**
 * programs: project and stack files, configuration, and running a program under its language.
 * Imports ports and below.
 */

import type { DebuggerEndpoint } from './hosts/spawn-debugged.ts'
import type { ProjectPlugin } from './project/project-plugins.ts'
import type { RequiredPackage } from './required-packages.ts'

/** The language, folders and runtime options of a program. */
export interface ProgramSource {
  /** The runtime in the project file. */
  readonly runtime: string
  /** The folder of Pulumi.yaml. */
  readonly projectFolder: string
  /** The folder in which the program runs: that of `main`, or else `projectFolder`. */
  readonly programFolder: string
  /** `.` or a file relative to `programFolder`. */
  readonly entryPoint: string
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /**
   * The plugins in folders that the project file names. One of them may be the host of the
   * program's language.
   */
  readonly plugins?: readonly ProjectPlugin[]
}

/** The input of a program run. */
export interface ProgramInput extends ProgramSource {
  readonly project: string
  readonly stack: string
  readonly organization: string
  /** `ns:key` → text, with decrypted secrets. */
  readonly config: ReadonlyMap<string, string>
  readonly configSecretKeys: readonly string[]
  readonly dryRun: boolean
  readonly parallel: number
  readonly monitorAddress: string
  readonly engineAddress: string
  /** Whether debug messages are reported. Otherwise the host need not send them. */
  readonly debug?: boolean
  /** Called once when a debugger can attach. Absent: the program does not wait for a debugger. */
  readonly onDebuggerReady?: (endpoint: DebuggerEndpoint) => void
}

/** The end of a program. Without `error` and `hasReportedError`, the program succeeded. */
export interface ProgramEnd {
  readonly error: string | undefined
  /** Whether the program failed and reported its error itself. Then `error` is undefined. */
  readonly hasReportedError: boolean
}

/** A program running in its own process group. */
export interface RunningProgram {
  readonly programEnd: Promise<ProgramEnd>
  /** Interrupts the program, and kills it if it does not end in time. */
  readonly stop: () => Promise<void>
}

/** Runs programs of one language, or of several. */
export interface ProgramHost {
  /**
   * Starts the program, and passes its output lines to `onLine`. Before the program runs, throws
   * PROGRAM_SDK_MISSING, PROGRAM_TYPESCRIPT_MIX, PROGRAM_NODE_MISSING, PROGRAM_LANGUAGE_MISSING,
   * PROGRAM_LANGUAGE_FAILED, PROGRAM_BUILD_FAILED, PROJECT_INVALID or RUNTIME_UNKNOWN.
   */
  readonly run: (
    programInput: ProgramInput,
    onLine: (line: string, stream: 'stdout' | 'stderr') => void,
  ) => Promise<RunningProgram>
  /**
   * Returns the plugins that the program's installed packages need, each once. Throws like `run`.
   */
  readonly listPackages: (source: ProgramSource) => Promise<readonly RequiredPackage[]>
}
