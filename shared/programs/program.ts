/**
 * programs: project and stack files, configuration, and running a program under its language.
 * Imports ports and below.
 */

import type { DebuggerEndpoint } from './hosts/debugging.ts'
import type { ProjectPlugin } from './project/project-plugins.ts'
import type { RequiredPackage } from './required-packages.ts'

/** Which program: its language, its folders, and what the project file says of its runtime. */
export interface ProgramSource {
  /** The language, as the project file names it. */
  readonly runtime: string
  /** The folder of Pulumi.yaml. */
  readonly root: string
  /** The program's folder (`main` applied). */
  readonly directory: string
  /** `.` or a file relative to `directory`. */
  readonly entryPoint: string
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /** Plugins that the project has itself: its language's host may be among them. */
  readonly plugins?: readonly ProjectPlugin[]
}

/** What a run of a program needs to know. */
export interface ProgramRun extends ProgramSource {
  readonly project: string
  readonly stack: string
  readonly organization: string
  /** `ns:key` → text, secrets opened. */
  readonly config: ReadonlyMap<string, string>
  readonly configSecretKeys: readonly string[]
  readonly dryRun: boolean
  readonly parallel: number
  readonly monitorAddress: string
  readonly engineAddress: string
  /** It waits for a debugger: told once, when one can attach. Absent: it does not wait. */
  readonly onDebuggerReady?: (waiting: DebuggerEndpoint) => void
}

/** How a program ended. `bail`: it told its error itself. */
export interface ProgramEnd {
  readonly error: string | undefined
  readonly bail: boolean
}

/** A program that runs in a process group of its own. */
export interface RunningProgram {
  readonly ended: Promise<ProgramEnd>
  /** Interrupts it; kills it when it is not gone after 5 s. */
  readonly stop: () => Promise<void>
}

/** Runs programs of one language, or of several. */
export interface ProgramHost {
  /**
   * Starts the program. Throws PROGRAM_SDK_MISSING, PROGRAM_TYPESCRIPT_MIX, PROGRAM_NODE_MISSING,
   * PROGRAM_LANGUAGE_MISSING, PROGRAM_BUILD_FAILED, RUNTIME_UNKNOWN before anything runs. Lines of
   * its output go to `said`.
   */
  readonly run: (
    run: ProgramRun,
    onLine: (line: string, stream: 'stdout' | 'stderr') => void,
  ) => Promise<RunningProgram>
  /** The plugins that the program's installed packages need, each once. Throws as `run`. */
  readonly listPackages: (source: ProgramSource) => Promise<readonly RequiredPackage[]>
}
