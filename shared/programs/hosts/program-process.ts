import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildProcess } from '../../ports/system.ts'
import type { DebugRequest } from './debugging.ts'
import { forEachLine } from '../output-lines.ts'
import type { ProgramEnd, ProgramRun, RunningProgram } from '../program.ts'

/** Where lines of a program go. */
export type LineListener = (line: string, stream: 'stdout' | 'stderr') => void

/** What is particular to the programs of one language. */
export interface ProgramWatch {
  readonly onLine: LineListener
  /** How long a program that was interrupted may take to end, in ms; 5 s as under Pulumi. */
  readonly graceMs?: number
  /** Says more about a failure: looks at each line of the error output, '' = nothing to say. */
  readonly hint?: (line: string) => string
}

/** The exit code of a program that told its errors itself. */
const bailExitCode = 32

/** How long output may go on after the program's end, held open by a process that it left. */
const drainMs = 1000

/** A program's process as a running program. Source: docs/spec/programs.md#end-of-a-program. */
export function watchProgram(child: ChildProcess, watch: ProgramWatch): RunningProgram {
  const { onLine, graceMs = 5_000 } = watch
  let hint = ''
  const output = Promise.all([
    forEachLine(child.stdout, line => onLine(line, 'stdout')),
    forEachLine(child.stderr, line => {
      hint ||= watch.hint?.(line) ?? ''
      onLine(line, 'stderr')
    }),
  ])
  const finish = async (): Promise<ProgramEnd> => {
    const exit = await child.exit
    if (!(await isDoneWithin(output, drainMs))) child.signal('SIGKILL')
    return toProgramEnd(exit, hint)
  }
  const ended = finish()
  return {
    ended,
    stop: async () => {
      child.signal('SIGINT')
      if (!(await isDoneWithin(child.exit, graceMs))) child.signal('SIGKILL')
      await ended
    },
  }
}

function toProgramEnd(
  exit: { readonly code: number | null; readonly signal: string | null },
  hint: string,
): ProgramEnd {
  if (exit.code === 0) return { error: undefined, bail: false }
  if (exit.code === bailExitCode) return { error: undefined, bail: true }
  const how =
    exit.code === null
      ? `Program was killed by ${exit.signal ?? 'a signal'}`
      : `Program exited with non-zero exit code: ${exit.code}`
  return { error: how + hint, bail: false }
}

/** Whether work ends within so many ms. */
export async function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false)
  const done = await Promise.race([work.then(() => true), late])
  timer.abort()
  return done
}

/** How a program is debugged, where it is. */
export function debugRequestOf({ runtime, onDebuggerReady }: ProgramRun): DebugRequest | undefined {
  if (onDebuggerReady === undefined) return undefined
  return { runtime, title: `Pulumi: Program (${runtime})`, onReady: onDebuggerReady }
}

/** An option of the runtime that is a text, '' where it is not given. */
export function readTextOption(source: Pick<ProgramRun, 'runtimeOptions'>, name: string): string {
  const value: unknown = source.runtimeOptions[name]
  return typeof value === 'string' ? value : ''
}

/** The variables that have a value. */
export function withoutUndefined(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Configuration and which of its keys are secret, as programs find them in their environment. */
export function createConfigEnvironment(run: ProgramRun): Readonly<Record<string, string>> {
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(run.config)),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(run.configSecretKeys),
  }
}
