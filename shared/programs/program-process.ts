import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildProcess } from '../ports/system.ts'
import type { DebugRequest } from './debugging.ts'
import { eachLine } from './output-lines.ts'
import type { ProgramEnd, ProgramRun, RunningProgram } from './program.ts'

/** Where lines of a program go. */
export type Said = (line: string, stream: 'stdout' | 'stderr') => void

/** What is particular to the programs of one language. */
export interface ProgramWatch {
  readonly said: Said
  /** How long a program that was interrupted may take to end, in ms; 5 s as under Pulumi. */
  readonly patienceMs?: number
  /** Says more about a failure: looks at each line of the error output, '' = nothing to say. */
  readonly hint?: (line: string) => string
}

/** The exit code of a program that told its errors itself. */
const toldExit = 32

/** How long output may go on after the program's end, held open by a process that it left. */
const drainMs = 1000

/** A program's process as a running program. Source: docs/spec/programs.md#end-of-a-program. */
export function watchProgram(child: ChildProcess, watch: ProgramWatch): RunningProgram {
  const { said, patienceMs = 5_000 } = watch
  let hint = ''
  const output = Promise.all([
    eachLine(child.stdout, line => said(line, 'stdout')),
    eachLine(child.stderr, line => {
      hint ||= watch.hint?.(line) ?? ''
      said(line, 'stderr')
    }),
  ])
  const finish = async (): Promise<ProgramEnd> => {
    const exit = await child.exit
    if (!(await isDoneWithin(output, drainMs))) child.signal('SIGKILL')
    return endOf(exit, hint)
  }
  const ended = finish()
  return {
    ended,
    stop: async () => {
      child.signal('SIGINT')
      if (!(await isDoneWithin(child.exit, patienceMs))) child.signal('SIGKILL')
      await ended
    },
  }
}

function endOf(
  exit: { readonly code: number | null; readonly signal: string | null },
  hint: string,
): ProgramEnd {
  if (exit.code === 0) return { error: undefined, bail: false }
  if (exit.code === toldExit) return { error: undefined, bail: true }
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
export function debugRequestOf({ runtime, debugged }: ProgramRun): DebugRequest | undefined {
  if (debugged === undefined) return undefined
  return { runtime, title: `Pulumi: Program (${runtime})`, tell: debugged }
}

/** An option of the runtime that is a text, '' where it is not given. */
export function textOption(source: Pick<ProgramRun, 'runtimeOptions'>, name: string): string {
  const value: unknown = source.runtimeOptions[name]
  return typeof value === 'string' ? value : ''
}

/** The variables that have a value. */
export function definedOf(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}

/** Configuration and which of its keys are secret, as programs find them in their environment. */
export function configEnvironment(run: ProgramRun): Readonly<Record<string, string>> {
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(run.config)),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(run.configSecretKeys),
  }
}
