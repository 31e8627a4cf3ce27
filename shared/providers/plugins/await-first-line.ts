import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import type { ErrorCode } from '../../errors/catalogue.ts'
import { type DeployError, createError } from '../../errors/error.ts'
import type { RunningPlugin } from '../../programs/plugins/run-plugin-by-host.ts'
import { createTail, formatLastLines, readLines } from './plugin-output.ts'
import { withTimeout } from '../../config/with-timeout.ts'

/** The content of a first line, or the reason why the line is refused. */
export type FirstLineContent<T> =
  | { readonly kind: 'content'; readonly content: T }
  | { readonly kind: 'problem'; readonly code: ErrorCode; readonly problem: string }

/**
 * The expected first line on stdout of a process. `onLine` gets every other line that is not blank,
 * and must not block.
 */
export interface FirstLineRequest<T> {
  readonly name: string
  readonly path: string
  /** The name of the line in messages, such as `its port`. */
  readonly lineName: string
  readonly parse: (line: string) => FirstLineContent<T>
  readonly timeoutMs: number
  readonly onLine: (line: string, stream: 'stdout' | 'stderr') => void
  /** Returns the lines for reports of failures. Default: the last lines of stderr. */
  readonly listReportLines?: () => readonly string[]
  /** Kills the process if it has not printed the line yet. */
  readonly abortSignal?: AbortSignal | undefined
  /** Explains why the process ended early, from the last lines that the process printed. */
  readonly explainEnd?: (lastLines: readonly string[]) => string | undefined
}

/** A process that has printed its first line. Its further output is read until its end. */
export interface StartedPluginProcess<T> {
  readonly content: T
  /** Resolves when the process has ended, with a description such as `ended with exit code 3`. */
  readonly exitDescription: Promise<string>
  /** Returns the lines for reports, when the streams have ended or after `exitGraceMs`. */
  readonly readLastLines: () => Promise<readonly string[]>
  /**
   * Sends a signal, if any, to the process group. Sends SIGKILL if the process still runs after
   * `graceMs`. Resolves when the process has ended.
   */
  readonly stop: (options: {
    readonly signal?: 'SIGINT'
    readonly graceMs: number
  }) => Promise<void>
}

/**
 * Waits for the first line of a process, and reads all its output until its end. Throws the error
 * of a line that `parse` refuses, and PLUGIN_FAILED if the process ends early or is late. Before an
 * error is thrown, the process is killed.
 */
export async function awaitFirstLine<T>(
  child: RunningPlugin,
  request: FirstLineRequest<T>,
): Promise<StartedPluginProcess<T>> {
  const tail = createTail(limits.crashReportLines)
  const stdout = readLines(child.stdout, limits.lineCharsMax)
  const stderr = drain(readLines(child.stderr, limits.lineCharsMax), line => {
    tail.add(line)
    request.onLine(line, 'stderr')
  })
  const kill = (): void => child.signal('SIGKILL')
  request.abortSignal?.addEventListener('abort', kill, { once: true })
  if (request.abortSignal?.aborted === true) kill()
  const firstLine = await readFirstLine(stdout, request.timeoutMs)
  request.abortSignal?.removeEventListener('abort', kill)
  const listReportLines = request.listReportLines ?? tail.listLines
  const context = { request, child, stderr, listReportLines }
  if (firstLine.kind !== 'line') throw await createEarlyEndError(firstLine.kind, context)
  const parsed = request.parse(firstLine.line)
  if (parsed.kind === 'problem') throw await createRefusedLineError(parsed, context)
  const streams = Promise.all([stderr, drain(stdout, line => request.onLine(line, 'stdout'))])
  return {
    content: parsed.content,
    exitDescription: child.exit.then(exit => `ended with ${describeExit(exit)}`),
    async readLastLines() {
      await withTimeout(streams, limits.exitGraceMs)
      return listReportLines()
    },
    async stop({ signal, graceMs }) {
      if (signal !== undefined) child.signal(signal)
      if ((await withTimeout(child.exit, graceMs)) === undefined) child.signal('SIGKILL')
      await child.exit
      await withTimeout(streams, limits.exitGraceMs)
    },
  }
}

type FirstLine = { kind: 'line'; line: string } | { kind: 'end' } | { kind: 'late' }

async function readFirstLine(
  lines: AsyncGenerator<string, void, void>,
  timeoutMs: number,
): Promise<FirstLine> {
  const firstResult = lines.next().then<FirstLine, FirstLine>(
    ({ done, value }) =>
      done === true || value === undefined ? { kind: 'end' } : { kind: 'line', line: value },
    () => ({ kind: 'end' }),
  )
  return (await withTimeout(firstResult, timeoutMs)) ?? { kind: 'late' }
}

interface FailureContext {
  readonly request: Omit<FirstLineRequest<unknown>, 'parse'>
  readonly child: RunningPlugin
  readonly stderr: Promise<void>
  readonly listReportLines: () => readonly string[]
}

async function createEarlyEndError(
  kind: 'end' | 'late',
  context: FailureContext,
): Promise<DeployError> {
  const { request, child, listReportLines } = context
  if (kind === 'end') await withTimeout(child.exit, limits.exitGraceMs)
  const exit = await killAndDrain(context)
  const problem =
    kind === 'end'
      ? `ended before it printed ${request.lineName}: ${exit}`
      : `did not print ${request.lineName} within ${request.timeoutMs / 1000} s`
  const lines = listReportLines()
  const explanation = kind === 'end' ? request.explainEnd?.(lines) : undefined
  const reason = explanation === undefined ? '' : `; ${explanation}`
  return createError(
    'PLUGIN_FAILED',
    `${subjectOf(request)} ${problem}${reason}${formatLastLines(lines)}`,
  )
}

async function createRefusedLineError(
  { code, problem }: { readonly code: ErrorCode; readonly problem: string },
  context: FailureContext,
): Promise<DeployError> {
  await killAndDrain(context)
  return createError(
    code,
    `${subjectOf(context.request)} ${problem}${formatLastLines(context.listReportLines())}`,
  )
}

async function killAndDrain({ child, stderr }: FailureContext): Promise<string> {
  child.signal('SIGKILL')
  const exit = await child.exit
  await withTimeout(stderr, limits.exitGraceMs)
  return describeExit(exit)
}

const subjectOf = ({ name, path }: FailureContext['request']): string =>
  `plugin '${name}' (${path})`

function describeExit(exit: { code: number | null; signal: string | null }): string {
  return exit.signal === null ? `exit code ${exit.code ?? '?'}` : `signal ${exit.signal}`
}

async function drain(
  lines: AsyncGenerator<string, void, void>,
  onLine: (line: string) => void,
): Promise<void> {
  try {
    for await (const line of lines) if (line.trim() !== '') onLine(line)
  } catch {
    // A broken pipe has no further output.
  }
}
