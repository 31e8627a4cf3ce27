import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import { type DeployError, error } from '../../errors/error.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import type { DebuggerEndpoint } from '../../programs/hosts/debugging.ts'
import type { RunningPlugin } from '../../programs/plugins/run-by-host.ts'
import { spawnPlugin } from './spawn-plugin.ts'
import { createTail, formatLastLines, readLines, type Tail } from './plugin-output.ts'

/** A request to start a plugin. `onLine` gets every line that is not blank, and must not block. */
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
  readonly abandoned?: AbortSignal
  /**
   * Set when a plugin from source waits for a debugger, which disables the timeout of its port.
   * Called once, when a debugger can attach.
   */
  readonly onDebuggerReady?: ((waiting: DebuggerEndpoint) => void) | undefined
  /** Timeout of the port, for tests. */
  readonly portMs?: number
}

/** A plugin process that has printed its port. */
export interface PluginProcess {
  readonly name: string
  readonly path: string
  readonly port: number
  /** True when another process started it and will end it. */
  readonly isAttached?: boolean
  /** Resolves at its end with a description, such as `ended with exit code 3`. */
  readonly ended: Promise<string>
  /** Returns the last lines of stderr, when the streams have ended or after `lastWordsMs`. */
  readonly readLastLines: () => Promise<readonly string[]>
  /** Sends SIGINT to its group, and SIGKILL later. Resolves when it has ended. */
  readonly stop: () => Promise<void>
}

/**
 * Starts a plugin and waits for the port that it prints (docs/spec/provider-protocol.md#argv).
 * Throws PLUGIN_FAILED when it cannot be started, ends early or prints another text, and the errors
 * of `spawnPlugin` for a plugin from source.
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
  const child = await abortWhenAbandoned(spawnPlugin(deps, path, spawnOptions), request)
  const tail = createTail(limits.keptLines)
  const stdout = readLines(child.stdout, limits.lineBytes)
  const stderr = drain(readLines(child.stderr, limits.lineBytes), line => {
    tail.add(line)
    request.onLine(line, 'stderr')
  })
  const kill = (): void => child.signal('SIGKILL')
  request.abandoned?.addEventListener('abort', kill, { once: true })
  if (request.abandoned?.aborted === true) kill()
  const portMs = onDebuggerReady === undefined ? limits.portMs : limits.debuggedMs
  const first = await readFirstLine(stdout, request.portMs ?? portMs)
  request.abandoned?.removeEventListener('abort', kill)
  const port = first.kind === 'line' ? parsePort(first.line) : undefined
  if (port === undefined) throw await startError(first, { request, child, stderr, tail })
  const streams = Promise.all([stderr, drain(stdout, line => request.onLine(line, 'stdout'))])
  return {
    name: request.name,
    path: request.path,
    port,
    ended: child.exit.then(exit => `ended with ${describeExit(exit)}`),
    async readLastLines() {
      await withTimeout(streams, limits.lastWordsMs)
      return tail.listLines()
    },
    stop: () => stopProcess(child, streams),
  }
}

/** The build of a plugin may take long, so a cancellation does not wait for it. */
async function abortWhenAbandoned(
  spawning: Promise<RunningPlugin>,
  { abandoned, name, path }: StartRequest,
): Promise<RunningPlugin> {
  if (abandoned === undefined) return spawning
  const ended = Promise.withResolvers<never>()
  const end = (): void => {
    void spawning.then(child => child.signal('SIGKILL')).catch(() => undefined)
    ended.reject(error('PLUGIN_FAILED', `the start of plugin '${name}' (${path}) was cancelled`))
  }
  abandoned.addEventListener('abort', end, { once: true })
  if (abandoned.aborted) end()
  try {
    return await Promise.race([spawning, ended.promise])
  } finally {
    abandoned.removeEventListener('abort', end)
  }
}

type FirstLine = { kind: 'line'; line: string } | { kind: 'end' } | { kind: 'late' }

async function readFirstLine(
  lines: AsyncGenerator<string, void, void>,
  limitMs: number,
): Promise<FirstLine> {
  const next = lines.next().then<FirstLine, FirstLine>(
    ({ done, value }) =>
      done === true || value === undefined ? { kind: 'end' } : { kind: 'line', line: value },
    () => ({ kind: 'end' }),
  )
  return (await withTimeout(next, limitMs)) ?? { kind: 'late' }
}

/** The sequences that .NET prints around its output to show progress in a terminal. */
const progress = ['\u001b]9;4;3;\u001b\\', '\u001b]9;4;0;\u001b\\']

/** Parses the port of a line. Returns undefined for any other text. */
export function parsePort(line: string): number | undefined {
  let text = line
  for (const sequence of progress) text = text.replaceAll(sequence, '')
  text = text.trim()
  const port = Number(text)
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined
}

async function startError(
  first: FirstLine,
  context: { request: StartRequest; child: RunningPlugin; stderr: Promise<void>; tail: Tail },
): Promise<DeployError> {
  const { request, child, stderr, tail } = context
  if (first.kind === 'end') await withTimeout(child.exit, limits.lastWordsMs)
  child.signal('SIGKILL')
  const exit = await child.exit
  await withTimeout(stderr, limits.lastWordsMs)
  const who = `plugin '${request.name}' (${request.path})`
  const text = first.kind === 'line' ? first.line : ''
  const seconds = (request.portMs ?? limits.portMs) / 1000
  const what = {
    end: `ended before it printed its port: ${describeExit(exit)}`,
    late: `did not print its port within ${seconds} s`,
    line: `printed '${text.slice(0, 200)}' where its port was expected`,
  }[first.kind]
  return error('PLUGIN_FAILED', `${who} ${what}${formatLastLines(tail.listLines())}`)
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
  if ((await withTimeout(child.exit, limits.interruptMs)) === undefined) child.signal('SIGKILL')
  await child.exit
  await withTimeout(streams, limits.lastWordsMs)
}

/** Returns the result of `promise`, or undefined after the timeout. */
export async function withTimeout<T>(promise: Promise<T>, limitMs: number): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<undefined>(resolve => {
    timer = setTimeout(() => resolve(undefined), limitMs)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}
