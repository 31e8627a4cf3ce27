import type { ChildProcess, ProcessesPort } from '../../ports/system.ts'
import { isDoneWithin } from './is-done-within.ts'
import { type DebugRequest, spawnDebugged } from './spawn-debugged.ts'
import { forEachLine } from '../output-lines.ts'
import type { ProgramEnd, ProgramInput, RunningProgram } from '../program.ts'

/** The receiver of a program's output lines. */
export type LineListener = (line: string, stream: 'stdout' | 'stderr') => void

/** Options for watching a program. */
interface ProgramWatch {
  readonly onLine: LineListener
  /** Time limit for an interrupted program to end, in ms. Default: 5 s, as under Pulumi. */
  readonly graceMs?: number
  /** Returns a hint about a failure from a line of the error output, '' = none. */
  readonly hintOf?: (line: string) => string
}

/** The exit code of a program that already reported its errors. */
const bailExitCode = 32

/**
 * Time to drain the output after the program's end, because a child process may keep the output
 * open.
 */
const drainMs = 1000

/**
 * Starts the process of a program, under a debugger if the run requests one, and watches it until
 * it ends. Throws the errors of `spawnDebugged`. Source: docs/spec/programs.md#end-of-a-program.
 */
export async function startProgramProcess(
  processes: ProcessesPort,
  request: Parameters<ProcessesPort['spawn']>[0],
  { programInput, ...watch }: ProgramWatch & { readonly programInput: ProgramInput },
): Promise<RunningProgram> {
  return watchProgram(await spawnDebugged(processes, request, debugRequestOf(programInput)), watch)
}

/** Returns the running program of a process. */
function watchProgram(child: ChildProcess, watch: ProgramWatch): RunningProgram {
  const { onLine, graceMs = 5_000 } = watch
  let hint = ''
  const output = Promise.all([
    forEachLine(child.stdout, line => onLine(line, 'stdout')),
    forEachLine(child.stderr, line => {
      hint ||= watch.hintOf?.(line) ?? ''
      onLine(line, 'stderr')
    }),
  ])
  const awaitEnd = async (): Promise<ProgramEnd> => {
    const exit = await child.exit
    if (!(await isDoneWithin(output, drainMs))) child.signal('SIGKILL')
    return toProgramEnd(exit, hint)
  }
  const programEnd = awaitEnd()
  return {
    programEnd,
    stop: async () => {
      child.signal('SIGINT')
      if (!(await isDoneWithin(child.exit, graceMs))) child.signal('SIGKILL')
      await programEnd
    },
  }
}

function toProgramEnd(
  exit: { readonly code: number | null; readonly signal: string | null },
  hint: string,
): ProgramEnd {
  if (exit.code === 0) return { error: undefined, hasReportedError: false }
  if (exit.code === bailExitCode) return { error: undefined, hasReportedError: true }
  const description =
    exit.code === null
      ? `Program was killed by ${exit.signal ?? 'a signal'}`
      : `Program exited with non-zero exit code: ${exit.code}`
  return { error: description + hint, hasReportedError: false }
}

/** Returns the debug request of a run. Returns undefined if no debugger is requested. */
function debugRequestOf({ runtime, onDebuggerReady }: ProgramInput): DebugRequest | undefined {
  if (onDebuggerReady === undefined) return undefined
  return { runtime, title: `Pulumi: Program (${runtime})`, onReady: onDebuggerReady }
}
