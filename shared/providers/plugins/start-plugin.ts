import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import type { DebuggerEndpoint } from '../../programs/hosts/spawn-debugged.ts'
import type { RunningPlugin } from '../../programs/plugins/run-plugin-by-host.ts'
import { awaitFirstLine, type FirstLineContent } from './await-first-line.ts'
import { awaitOrAbort } from './await-or-abort.ts'
import { spawnPlugin } from './spawn-plugin.ts'

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
  /** Kills the plugin if it has not printed its port yet. */
  readonly abortSignal?: AbortSignal
  /**
   * If set, a plugin from source waits for a debugger, without a time limit. Called at most once,
   * when a debugger can attach. Not called for a plugin that the host of its language runs: that
   * host reports the debugger itself.
   */
  readonly onDebuggerReady?: ((endpoint: DebuggerEndpoint) => void) | undefined
  /** Timeout for the port. Only tests set this timeout. */
  readonly portTimeoutMs?: number
}

/** A plugin process whose port is known. */
export interface PluginProcess {
  readonly name: string
  readonly path: string
  readonly port: number
  /** Whether the user runs the process. Then `stop` does not end it. */
  readonly isAttached?: boolean
  /** Resolves when the process has ended, with a description such as `ended with exit code 3`. */
  readonly exitDescription: Promise<string>
  /** Returns the last lines of stderr, when the streams have ended or after `exitGraceMs`. */
  readonly readLastLines: () => Promise<readonly string[]>
  /**
   * Sends SIGINT to the process group, and SIGKILL after `killDelayMs`. Resolves when the process
   * has ended.
   */
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
  const child = await awaitSpawnOrAbort(spawnPlugin(deps, path, spawnOptions), request)
  const portTimeoutMs =
    onDebuggerReady === undefined ? limits.portTimeoutMs : limits.debuggerTimeoutMs
  const startedProcess = await awaitFirstLine(child, {
    ...request,
    lineName: 'its port',
    parse: parsePortLine,
    timeoutMs: request.portTimeoutMs ?? portTimeoutMs,
  })
  return {
    name: request.name,
    path: request.path,
    port: startedProcess.content,
    exitDescription: startedProcess.exitDescription,
    readLastLines: startedProcess.readLastLines,
    stop: () => startedProcess.stop({ signal: 'SIGINT', graceMs: limits.killDelayMs }),
  }
}

/**
 * Waits for a plugin that is being spawned. An abort throws PLUGIN_FAILED immediately, because the
 * build of a plugin may take long. An aborted plugin is killed as soon as it is spawned.
 */
async function awaitSpawnOrAbort(
  pendingChild: Promise<RunningPlugin>,
  request: StartRequest,
): Promise<RunningPlugin> {
  try {
    return await awaitOrAbort(pendingChild, request)
  } catch (thrown) {
    void pendingChild.then(child => child.signal('SIGKILL')).catch(() => undefined)
    throw thrown
  }
}

/** The sequences that .NET prints around its output to show progress in a terminal. */
const progressSequences = ['\u001b]9;4;3;\u001b\\', '\u001b]9;4;0;\u001b\\']

/** Parses a line that consists of a port. Returns undefined for any other line. */
export function parsePort(line: string): number | undefined {
  let text = line
  for (const sequence of progressSequences) text = text.replaceAll(sequence, '')
  text = text.trim()
  const port = Number(text)
  return /^\d{1,5}$/.test(text) && port >= 1 && port <= 65_535 ? port : undefined
}

function parsePortLine(line: string): FirstLineContent<number> {
  const port = parsePort(line)
  if (port !== undefined) return { kind: 'content', content: port }
  const problem = `printed '${line.slice(0, 200)}' where its port was expected`
  return { kind: 'problem', code: 'PLUGIN_FAILED', problem }
}
