import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import { type DeployError, error } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import type { DebuggerEndpoint } from '../../programs/hosts/spawn-debugged.ts'
import type { RunningPlugin } from '../../programs/plugins/run-by-host.ts'
import { spawnPlugin } from './spawn-plugin.ts'
import { createTail, formatLastLines, readLines, type Tail } from './plugin-output.ts'

/**
 * A request to start a plugin. `onLine` gets every line that is not blank, except the line with the
 * port, and must not block.
 */
export interface StartRequest {
  readonly name: string
  readonly path: string
  /** The arguments. Default: the engine's address. */
  readonly args?: readonly string[]
  readonly engineAddress: string
  readonly cwd: string
  readonly env: Readonly<Record<string, string>>
  readonly onLine: (line: string, stream: 'stdout' | 'stderr') => void
  /** Kills a plugin that has not printed its port yet. */
  readonly abortSignal?: AbortSignal
  /**
   * Set when a plugin from source waits for a debugger, which disables the timeout of its port.
   * Called once, when a debugger can attach.
   */
  readonly onDebuggerReady?: ((endpoint: DebuggerEndpoint) => void) | undefined
  /** Timeout for the port in ms, which only tests set. */
  readonly portMs?: number
}

/** A plugin process that has printed its port. */
export interface PluginProcess {
  readonly name: string
  readonly path: string
  readonly port: number
  /** True when the user runs the process, so `stop` does not end it. */
  readonly isAttached?: boolean
  /** Resolves when the process has ended, with a description such as `ended with exit code 3`. */
  readonly exitDescription: Promise<string>
  /** Returns the last lines of stderr, when the streams have ended or after `exitGraceMs`. */
  readonly readLastLines: () => Promise<readonly string[]>
  /** Sends SIGINT to the process group, and SIGKILL later. Resolves when the process has ended. */
  readonly stop: () => Promise<void>
}

/**
 * Starts a plugin and waits for the port that it prints (docs/spec/provider-protocol.md#argv).
 * Throws PLUGIN_FAILED when the plugin cannot be started, ends early, is late or prints another
 * text. Throws the errors of `spawnPlugin` for a plugin from source.
 */
export async function startPlugin(
  processes: ProcessesPort,
  request: StartRequest,
): Promise<PluginProcess> {
  const { path, env, cwd, engineAddress, args = [engineAddress], onDebuggerReady } = request
  const spawnOptions = {
    args,
    cwd,
    ...(onDebuggerReady === undefined ? {} : { onDebuggerReady }),
  }
  const deps = { processes, env, engineAddress: () => engineAddress }
  const child = await abortWhenCancelled(spawnPlugin(deps, path, spawnOptions), request)
  const tail = createTail(limits.crashReportLines)
  const stdout = readLines(child.stdout, limits.lineBytesMax)
  const stderr = drain(readLines(child.stderr, limits.lineBytesMax), line => {
    tail.add(line)
    request.onLine(line, 'stderr')
  })
  const kill = (): void => child.signal('SIGKILL')
  request.abortSignal?.addEventListener('abort', kill, { once: true })
  if (request.abortSignal?.aborted === true) kill()
  const portMs = onDebuggerReady === undefined ? limits.portTimeoutMs : limits.debuggerTimeoutMs
  const firstLine = await readFirstLine(stdout, request.portMs ?? portMs)
  request.abortSignal?.removeEventListener('abort', kill)
  const port = firstLine.kind === 'line' ? parsePort(firstLine.line) : undefined
  if (port === undefined) throw await startError(firstLine, { request, child, stderr, tail })
  const streams = Promise.all([stderr, drain(stdout, line => request.onLine(line, 'stdout'))])
  return {
    name: request.name,
    path: request.path,
    port,
    exitDescription: child.exit.then(exit => `ended with ${describeExit(exit)}`),
    async readLastLines() {
      await withTimeout(streams, limits.exitGraceMs)
      return tail.listLines()
    },
    stop: () => stopProcess(child, streams),
  }
}

/**
 * Waits for a plugin that is being spawned. A cancellation throws PLUGIN_FAILED at once, because
 * the build of a plugin may take long.
 */
async function abortWhenCancelled(
  pendingChild: Promise<RunningPlugin>,
  { abortSignal, name, path }: StartRequest,
): Promise<RunningPlugin> {
  if (abortSignal === undefined) return pendingChild
  const cancellation = Promise.withResolvers<never>()
  const cancelStart = (): void => {
    void pendingChild.then(child => child.signal('SIGKILL')).catch(() => undefined)
    cancellation.reject(
      error('PLUGIN_FAILED', `the start of plugin '${name}' (${path}) was cancelled`),
    )
  }
  abortSignal.addEventListener('abort', cancelStart, { once: true })
  if (abortSignal.aborted) cancelStart()
  try {
    return await Promise.race([pendingChild, cancellation.promise])
  } finally {
    abortSignal.removeEventListener('abort', cancelStart)
  }
}

type FirstLine = { kind: 'line'; line: string } | { kind: 'end' } | { kind: 'late' }

async function readFirstLine(
  lines: AsyncGenerator<string, void, void>,
  limitMs: number,
): Promise<FirstLine> {
  const firstResult = lines.next().then<FirstLine, FirstLine>(
    ({ done, value }) =>
      done === true || value === undefined ? { kind: 'end' } : { kind: 'line', line: value },
    () => ({ kind: 'end' }),
  )
  return (await withTimeout(firstResult, limitMs)) ?? { kind: 'late' }
}

/** The sequences that .NET prints around its output to show progress in a terminal. */
const progressSequences = ['\u001b]9;4;3;\u001b\\', '\u001b]9;4;0;\u001b\\']

/** Parses the port of a line. Returns undefined for any other text. */
export function parsePort(line: string): number | undefined {
  let text = line
  for (const sequence of progressSequences) text = text.replaceAll(sequence, '')
  text = text.trim()
  const port = Number(text)
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined
}

async function startError(
  firstLine: FirstLine,
  context: { request: StartRequest; child: RunningPlugin; stderr: Promise<void>; tail: Tail },
): Promise<DeployError> {
  const { request, child, stderr, tail } = context
  if (firstLine.kind === 'end') await withTimeout(child.exit, limits.exitGraceMs)
  child.signal('SIGKILL')
  const exit = await child.exit
  await withTimeout(stderr, limits.exitGraceMs)
  const subject = `plugin '${request.name}' (${request.path})`
  const text = firstLine.kind === 'line' ? firstLine.line : ''
  const seconds = (request.portMs ?? limits.portTimeoutMs) / 1000
  const problem = {
    end: `ended before it printed its port: ${describeExit(exit)}`,
    late: `did not print its port within ${seconds} s`,
    line: `printed '${text.slice(0, 200)}' where its port was expected`,
  }[firstLine.kind]
  return error('PLUGIN_FAILED', `${subject} ${problem}${formatLastLines(tail.listLines())}`)
}

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

async function stopProcess(child: RunningPlugin, streams: Promise<unknown>): Promise<void> {
  child.signal('SIGINT')
  if ((await withTimeout(child.exit, limits.killDelayMs)) === undefined) child.signal('SIGKILL')
  await child.exit
  await withTimeout(streams, limits.exitGraceMs)
}

/** Returns the result of `promise`, or undefined after the timeout. */
export async function withTimeout<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), limitMs)
  })
  try {
    return await Promise.race([promise, timeout])
  } finally {
    clearTimeout(timer)
  }
}
