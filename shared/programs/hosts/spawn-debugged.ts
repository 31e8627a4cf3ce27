import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createError } from '../../errors/error.ts'
import type { ChildProcess, ProcessesPort } from '../../ports/system.ts'
import { findOnPath, runToEnd } from '../executables.ts'

/** A process that waits for a debugger. */
export interface DebuggerEndpoint {
  /** The settings with which an editor attaches, as in the editor's launch configurations. */
  readonly config: Readonly<Record<string, unknown>>
  /** The text for messages that says where the process waits, such as `on port 9230`. */
  readonly message: string
}

/** A request to run a process under a debugger. */
export interface DebugRequest {
  readonly runtime: string
  /** The title in editors: `Pulumi: Program (nodejs)`. */
  readonly title: string
  /** Called when a debugger can attach, at most once. Must not throw. */
  readonly onReady: (endpoint: DebuggerEndpoint) => void
}

type SpawnRequest = Parameters<ProcessesPort['spawn']>[0]

/**
 * Starts a process. If `debugRequest` is set, a process of Node, Python or Go waits for a debugger.
 * Throws PLUGIN_FAILED when the process cannot be started, and PROGRAM_LANGUAGE_MISSING when the
 * debugger of the language is not installed. Source: the calls of `StartDebugging` in
 * sdk/go/pulumi-language-go/main.go of Pulumi 3.260.0, and in the hosts of the other languages.
 */
export async function spawnDebugged(
  processes: ProcessesPort,
  request: SpawnRequest,
  debugRequest: DebugRequest | undefined,
): Promise<ChildProcess> {
  const language = debugRequest === undefined ? undefined : languages.get(debugRequest.runtime)
  if (debugRequest === undefined || language === undefined) return processes.spawn(request)
  const scratchFolder = mkdtempSync(join(tmpdir(), 'antichain-debugger-'))
  const removeScratch = (): void => rmSync(scratchFolder, { recursive: true, force: true })
  try {
    const port = await findFreePort(language.port)
    const command = await language.createCommand(request, { processes, port, scratchFolder })
    const child = processes.spawn({ ...request, ...command })
    void child.exit.then(removeScratch)
    void notifyWhenReady(child, { debugRequest, language, port, scratchFolder })
    return child
  } catch (thrown) {
    removeScratch()
    throw thrown
  }
}

interface DebuggerLanguage {
  /** The port for the debugger. If it is in use, the next free port is used. */
  readonly port: number
  readonly createCommand: (
    request: SpawnRequest,
    deps: {
      readonly processes: ProcessesPort
      readonly port: number
      readonly scratchFolder: string
    },
  ) => Promise<{ readonly command: string; readonly args: readonly string[] }>
  /**
   * The text in the log of a debugger that is ready. '': the debugger is ready when its port
   * accepts connections. Only Node is probed by a connection, because other debuggers would treat
   * the connection as an attached client.
   */
  readonly readyText: string
  readonly describeEndpoint: (port: number, pid: number) => DebuggerEndpoint
}

const languages: ReadonlyMap<string, DebuggerLanguage> = new Map<string, DebuggerLanguage>([
  [
    'nodejs',
    {
      port: 9229,
      readyText: '',
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
  ],
  [
    'python',
    {
      port: 58_791,
      readyText: 'Adapter is accepting incoming client connections',
      createCommand: createDebugpyCommand,
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
  ],
  [
    'go',
    {
      port: 57_134,
      readyText: 'API server listening at',
      createCommand: createDelveCommand,
      describeEndpoint: port => ({
        message: `on port ${port}`,
        config: { type: 'go', request: 'attach', mode: 'remote', host: '127.0.0.1', port },
      }),
    },
  ],
])

async function createDebugpyCommand(
  request: SpawnRequest,
  { processes, port, scratchFolder }: Parameters<DebuggerLanguage['createCommand']>[1],
): ReturnType<DebuggerLanguage['createCommand']> {
  const { command, args } = request
  const probe = { ...request, args: ['-c', 'import debugpy'] }
  if ((await runToEnd(processes, probe)).code !== 0)
    throw createError('PROGRAM_LANGUAGE_MISSING', `debugpy is not installed for ${command}`, {
      hint: 'Add debugpy to the requirements of the program, and install them.',
    })
  const listenOptions = [
    '--listen',
    `127.0.0.1:${port}`,
    '--wait-for-client',
    '--log-to',
    scratchFolder,
  ]
  const interpreterOptions = args[0] === '-u' ? ['-u'] : []
  const debugpyOptions = ['-Xfrozen_modules=off', '-m', 'debugpy', ...listenOptions]
  return {
    command,
    args: [...interpreterOptions, ...debugpyOptions, ...args.slice(interpreterOptions.length)],
  }
}

function createDelveCommand(
  { command, args, env }: SpawnRequest,
  { port, scratchFolder }: Parameters<DebuggerLanguage['createCommand']>[1],
): ReturnType<DebuggerLanguage['createCommand']> {
  const dlv = findOnPath('dlv', env['PATH'] ?? '')
  if (dlv === undefined)
    throw createError('PROGRAM_LANGUAGE_MISSING', "the debugger 'dlv' is not on PATH", {
      hint: 'Install it: go install github.com/go-delve/delve/cmd/dlv@latest',
    })
  const logOptions = ['--log', '--log-dest', join(scratchFolder, 'dlv.log')]
  const dlvOptions = [
    '--headless=true',
    '--api-version=2',
    ...logOptions,
    `--listen=127.0.0.1:${port}`,
  ]
  const programArguments = args.length === 0 ? [] : ['--', ...args]
  return Promise.resolve({
    command: dlv,
    args: [...dlvOptions, 'exec', command, ...programArguments],
  })
}

/** The time limit for a debugger to become ready, and the pause between two checks. */
const readyTimeoutMs = 60_000
const pollIntervalMs = 100

async function notifyWhenReady(
  child: ChildProcess,
  deps: {
    readonly debugRequest: DebugRequest
    readonly language: DebuggerLanguage
    readonly port: number
    readonly scratchFolder: string
  },
): Promise<void> {
  const { debugRequest, language, port, scratchFolder } = deps
  let hasEnded = false
  void child.exit.then(() => (hasEnded = true))
  const isReady = (): boolean | Promise<boolean> =>
    language.readyText === '' ? isListening(port) : hasLogged(language.readyText, scratchFolder)
  for (let elapsedMs = 0; !(await isReady()); elapsedMs += pollIntervalMs) {
    if (hasEnded || elapsedMs >= readyTimeoutMs) return
    await sleep(pollIntervalMs)
  }
  const { config, message } = language.describeEndpoint(port, child.pid)
  debugRequest.onReady({ message, config: { name: debugRequest.title, ...config } })
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

function hasLogged(readyText: string, scratchFolder: string): boolean {
  if (!existsSync(scratchFolder)) return false
  return readdirSync(scratchFolder).some(file =>
    readFileSync(join(scratchFolder, file), 'utf8').includes(readyText),
  )
}

/** Returns the first free port from `firstPort` on. */
function findFreePort(firstPort: number): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', cause => {
      if (firstPort >= 65_535) reject(cause)
      else resolve(findFreePort(firstPort + 1))
    })
    server.listen(firstPort, '127.0.0.1', () => server.close(() => resolve(firstPort)))
  })
}
