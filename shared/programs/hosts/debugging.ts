import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { error } from '../../errors/error.ts'
import type { ChildProcess, ProcessesPort } from '../../ports/system.ts'
import { findOnPath, runToEnd } from '../executables.ts'

/** A process that waits for a debugger. */
export interface DebuggerEndpoint {
  /** The settings an editor needs to attach, as in its launch configurations. */
  readonly config: Readonly<Record<string, unknown>>
  /** Where it waits, for messages: `on port 9230`. */
  readonly message: string
}

/** A request to run a process under a debugger. */
export interface DebugRequest {
  readonly runtime: string
  /** The title in editors: `Pulumi: Program (nodejs)`. */
  readonly title: string
  /** Called once, when a debugger can attach. Must not throw. */
  readonly onReady: (waiting: DebuggerEndpoint) => void
}

/** Reports whether the program waits. `targets`: `program`, `plugins`, `plugin:<name>` or `all`. */
export function shouldDebugProgram(targets: readonly string[]): boolean {
  return targets.some(one => one === 'program' || one === 'all')
}

/** Reports whether a plugin that runs from source waits. */
export function shouldDebugPlugin(targets: readonly string[], name: string): boolean {
  return targets.some(one => one === 'plugins' || one === 'all' || one === `plugin:${name}`)
}

type SpawnRequest = Parameters<ProcessesPort['spawn']>[0]

/**
 * Starts a process, and lets it wait for a debugger if `debug` is set. Throws PLUGIN_FAILED when it
 * cannot be started, and PROGRAM_LANGUAGE_MISSING without the debugger of its language. Source:
 * Pulumi's language hosts.
 */
export async function spawnDebugged(
  processes: ProcessesPort,
  request: SpawnRequest,
  debug: DebugRequest | undefined,
): Promise<ChildProcess> {
  const language = debug === undefined ? undefined : languages[debug.runtime]
  if (debug === undefined || language === undefined) return processes.spawn(request)
  const scratch = mkdtempSync(join(tmpdir(), 'antichain-debugger-'))
  const removeScratch = (): void => rmSync(scratch, { recursive: true, force: true })
  try {
    const port = await findFreePort(language.port)
    const command = await language.createCommand(request, { processes, port, scratch })
    const child = processes.spawn({ ...request, ...command })
    void child.exit.then(removeScratch)
    void notifyWhenReady(child, { debug, language, port, scratch })
    return child
  } catch (thrown) {
    removeScratch()
    throw thrown
  }
}

interface DebuggerLanguage {
  /** The port that editors try by default. */
  readonly port: number
  readonly createCommand: (
    request: SpawnRequest,
    deps: { readonly processes: ProcessesPort; readonly port: number; readonly scratch: string },
  ) => Promise<{ readonly command: string; readonly args: readonly string[] }>
  /**
   * The log text of a debugger that is ready; '' = ready when its port accepts connections. Only
   * Node is probed by connecting, because other debuggers treat a connection as a client that
   * attached.
   */
  readonly ready: string
  readonly describeEndpoint: (port: number, pid: number) => DebuggerEndpoint
}

const languages: Readonly<Record<string, DebuggerLanguage>> = {
  nodejs: {
    port: 9229,
    ready: '',
    createCommand: ({ command, args }, { port }) =>
      Promise.resolve({ command, args: [`--inspect-brk=127.0.0.1:${port}`, ...args] }),
    describeEndpoint: (port, pid) => ({
      message: `on process id ${pid}${port === 9229 ? '' : ` and port ${port}`}`,
      config: {
        type: 'node',
        request: 'attach',
        processId: pid,
        continueOnAttach: true,
        skipFiles: ['<node_internals>/**'],
        ...(port === 9229 ? {} : { port }),
      },
    }),
  },
  python: {
    port: 58_791,
    ready: 'Adapter is accepting incoming client connections',
    createCommand: createPythonCommand,
    describeEndpoint: port => ({
      message: `on port ${port}`,
      config: {
        type: 'python',
        request: 'attach',
        connect: { host: '127.0.0.1', port },
        justMyCode: true,
      },
    }),
  },
  go: {
    port: 57_134,
    ready: 'API server listening at',
    createCommand: createGoCommand,
    describeEndpoint: port => ({
      message: `on port ${port}`,
      config: { type: 'go', request: 'attach', mode: 'remote', host: '127.0.0.1', port },
    }),
  },
}

async function createPythonCommand(
  request: SpawnRequest,
  { processes, port, scratch }: Parameters<DebuggerLanguage['createCommand']>[1],
): ReturnType<DebuggerLanguage['createCommand']> {
  const { command, args } = request
  const probe = { ...request, args: ['-c', 'import debugpy'] }
  if ((await runToEnd(processes, probe)).code !== 0)
    throw error('PROGRAM_LANGUAGE_MISSING', `debugpy is not installed for ${command}`, {
      hint: 'Add debugpy to the requirements of the program, and install them.',
    })
  const listen = ['--listen', `127.0.0.1:${port}`, '--wait-for-client', '--log-to', scratch]
  const own = args[0] === '-u' ? ['-u'] : []
  const run = ['-Xfrozen_modules=off', '-m', 'debugpy', ...listen]
  return { command, args: [...own, ...run, ...args.slice(own.length)] }
}

function createGoCommand(
  { command, args, env }: SpawnRequest,
  { port, scratch }: Parameters<DebuggerLanguage['createCommand']>[1],
): ReturnType<DebuggerLanguage['createCommand']> {
  const dlv = findOnPath('dlv', env['PATH'] ?? '')
  if (dlv === undefined)
    throw error('PROGRAM_LANGUAGE_MISSING', "the debugger 'dlv' is not on PATH", {
      hint: 'Install it: go install github.com/go-delve/delve/cmd/dlv@latest',
    })
  const log = ['--log', '--log-dest', join(scratch, 'dlv.log')]
  const own = ['--headless=true', '--api-version=2', ...log, `--listen=127.0.0.1:${port}`]
  const rest = args.length === 0 ? [] : ['--', ...args]
  return Promise.resolve({ command: dlv, args: [...own, 'exec', command, ...rest] })
}

/** Time limit for a debugger to become ready, and the polling interval, in ms. */
const readyMs = 60_000
const lookMs = 100

async function notifyWhenReady(
  child: ChildProcess,
  deps: {
    readonly debug: DebugRequest
    readonly language: DebuggerLanguage
    readonly port: number
    readonly scratch: string
  },
): Promise<void> {
  const { debug, language, port, scratch } = deps
  let isOver = false
  void child.exit.then(() => (isOver = true))
  const isReady = (): boolean | Promise<boolean> =>
    language.ready === '' ? isListening(port) : hasLogged(language.ready, scratch)
  for (let ms = 0; !(await isReady()); ms += lookMs) {
    if (isOver || ms >= readyMs) return
    await sleep(lookMs)
  }
  const { config, message } = language.describeEndpoint(port, child.pid)
  debug.onReady({ message, config: { name: debug.title, ...config } })
}

function isListening(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}

function hasLogged(ready: string, scratch: string): boolean {
  if (!existsSync(scratch)) return false
  return readdirSync(scratch).some(file =>
    readFileSync(join(scratch, file), 'utf8').includes(ready),
  )
}

/** Returns the port that editors try first, or the next free one. */
function findFreePort(from: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', cause => {
      if (from >= 65_535) reject(cause)
      else resolve(findFreePort(from + 1))
    })
    server.listen(from, '127.0.0.1', () => server.close(() => resolve(from)))
  })
}
