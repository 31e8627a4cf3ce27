/**
 * programs: project and stack files, configuration, and running a program under its language.
 * Imports ports and below.
 */

/** What a run of a program needs to know. */
export interface ProgramRun {
  readonly project: string
  readonly stack: string
  readonly organization: string
  /** The folder of Pulumi.yaml. */
  readonly root: string
  /** The program's folder (`main` applied). */
  readonly directory: string
  /** `.` or a file relative to `directory`. */
  readonly entryPoint: string
  readonly runtimeOptions: Readonly<Record<string, unknown>>
  /** `ns:key` → text, secrets opened. */
  readonly config: ReadonlyMap<string, string>
  readonly configSecretKeys: readonly string[]
  readonly dryRun: boolean
  readonly parallel: number
  readonly monitorAddress: string
  readonly engineAddress: string
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

/** Runs programs of one language. */
export interface ProgramHost {
  /**
   * Starts the program. Throws PROGRAM_SDK_MISSING, PROGRAM_TYPESCRIPT_MIX, PROGRAM_NODE_MISSING
   * before anything runs. Lines of its output go to `said`.
   */
  readonly run: (
    run: ProgramRun,
    said: (line: string, stream: 'stdout' | 'stderr') => void,
  ) => Promise<RunningProgram>
}
