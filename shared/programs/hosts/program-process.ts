import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildProcess } from '../../ports/system.ts'
import type { DebugRequest } from './debugging.ts'
import { forEachLine } from '../output-lines.ts'
import type { ProgramEnd, ProgramRun, RunningProgram } from '../program.ts'

/** The receiver of a program's output lines. */
export type LineListener = (line: string, stream: 'stdout' | 'stderr') => void

/** Language-specific options for watching a program. */
export interface ProgramWatch {
  readonly onLine: LineListener
  /** Time that an interrupted program has to end, in ms. Default: 5 s, as under Pulumi. */
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

/** Wraps a process as a running program. Source: docs/spec/programs.md#end-of-a-program. */
export function watchProgram(child: ChildProcess, watch: ProgramWatch): RunningProgram {
  const { onLine, graceMs = 5_000 } = watch
  let hint = ''
  const output = Promise.all([
    forEachLine(child.stdout, line => onLine(line, 'stdout')),
    forEachLine(child.stderr, line => {
      hint ||= watch.hintOf?.(line) ?? ''
      onLine(line, 'stderr')
    }),
  ])
  const finish = async (): Promise<ProgramEnd> => {
    const exit = await child.exit
    if (!(await isDoneWithin(output, drainMs))) child.signal('SIGKILL')
    return toProgramEnd(exit, hint)
  }
  const programEnd = finish()
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
  if (exit.code === 0) return { error: undefined, bail: false }
  if (exit.code === bailExitCode) return { error: undefined, bail: true }
  const description =
    exit.code === null
      ? `Program was killed by ${exit.signal ?? 'a signal'}`
      : `Program exited with non-zero exit code: ${exit.code}`
  return { error: description + hint, bail: false }
}

/** Reports whether work ends within `ms`. */
export async function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  const timeout = sleep(ms, false, { signal: timer.signal }).catch(() => false)
  const isDone = await Promise.race([work.then(() => true), timeout])
  timer.abort()
  return isDone
}

/** Returns the debug request of a run. Returns undefined if no debugger is requested. */
export function debugRequestOf({ runtime, onDebuggerReady }: ProgramRun): DebugRequest | undefined {
  if (onDebuggerReady === undefined) return undefined
  return { runtime, title: `Pulumi: Program (${runtime})`, onReady: onDebuggerReady }
}

/** Returns a text option of the runtime. Returns '' if it is absent. */
export function readTextOption(source: Pick<ProgramRun, 'runtimeOptions'>, name: string): string {
  const value: unknown = source.runtimeOptions[name]
  return typeof value === 'string' ? value : ''
}

/** Returns the variables that have a value. */
export function withoutUndefined(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Returns the environment variables with the configuration and its secret keys. */
export function createConfigEnvironment(run: ProgramRun): Readonly<Record<string, string>> {
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(run.config)),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(run.configSecretKeys),
  }
}
