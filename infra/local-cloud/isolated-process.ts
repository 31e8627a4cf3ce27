import {
  type ChildProcessByStdio,
  spawn,
  type SpawnOptionsWithStdioTuple,
} from 'node:child_process'
import { mkdirSync } from 'node:fs'
import type { Readable } from 'node:stream'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { localCloudLimits } from '../../shared/config/local-cloud-limits.ts'
import { type SandboxedCommand, sandboxCommandOf, taskRoot } from './sandbox.ts'
import {
  listSandboxProcesses,
  measureSandboxUsage,
  type SandboxUsage,
} from './sandbox-processes.ts'
import type { Supervisor } from '../../shared/platform/system/process-supervisor.ts'

/** The options of a process of the cloud. */
export interface IsolatedProcessOptions {
  /** The path of the JavaScript file that the process runs. */
  readonly script: string
  /** The folder of the bundle, which is the working folder. */
  readonly bundleFolder: string
  /** The sandbox of the process. Absent: a process with folders of its own on this machine. */
  readonly sandbox?: ProcessSandboxOptions
  /** The folder of the process, which is created at its start and removed at its end. */
  readonly folder: string
  /** All variables of the process, except those that name its folders. */
  readonly variables: Readonly<Record<string, string>>
  /** The supervisor, which kills the process group when the local cloud ends in any way. */
  readonly supervisor: Pick<Supervisor, 'add' | 'remove'>
  /** Receives a line of the output. */
  readonly onLine: (line: string) => void
}

/** The options of a sandbox besides its program. */
export type ProcessSandboxOptions = Pick<SandboxedCommand, 'writableFolders' | 'limits'>

/** A process that leads its own process group, with the processes in its sandbox if it has one. */
export interface IsolatedProcess {
  readonly pid: number
  /**
   * Signals the process group. In a sandbox, SIGSTOP and SIGCONT reach every process, and SIGTERM
   * the first program only, as in a container. Has no effect after the end of the process.
   */
  readonly signal: (name: NodeJS.Signals) => void
  /** Returns the usage of the sandbox; undefined without a sandbox. */
  readonly measureUsage: () => SandboxUsage | undefined
  /**
   * Resolves with the reason when the process has ended, its group was killed, and its folder was
   * removed if possible. Never rejects.
   */
  readonly endReason: Promise<string>
}

/** Starts a process. It inherits no variable of this process, except PATH in a sandbox. */
export function startIsolatedProcess(options: IsolatedProcessOptions): IsolatedProcess {
  const { folder, onLine, supervisor, sandbox } = options
  const child: IsolatedChild =
    sandbox === undefined ? spawnUnsandboxed(options) : spawnSandboxed(options, sandbox)
  for (const stream of [child.stdout, child.stderr]) forwardLines(stream, onLine)
  if (child.pid !== undefined) supervisor.add(child.pid)
  let hasEnded = false
  const signal = (name: NodeJS.Signals): void => {
    if (hasEnded || child.pid === undefined) return
    if (sandbox === undefined || name === 'SIGKILL') sendSignal(-child.pid, name)
    else signalSandbox(child.pid, name)
  }
  const endReason = new Promise<string>(resolve => {
    const finish = (reason: string): void => {
      // The remaining processes of the group end with their leader.
      signal('SIGKILL')
      hasEnded = true
      if (child.pid !== undefined) supervisor.remove(child.pid)
      // Other processes of the group end shortly after, and may write to the folder until then.
      void rm(folder, { recursive: true, force: true, maxRetries: 3 })
        .catch(() => undefined)
        .then(() => resolve(reason))
    }
    child.once('error', thrown => finish(`failed to start: ${thrown.message}`))
    child.once('exit', (status, exitSignal) => finish(`exited with ${status ?? exitSignal}`))
  })
  return {
    pid: child.pid ?? 0,
    signal,
    measureUsage: () =>
      sandbox === undefined || child.pid === undefined
        ? undefined
        : measureSandboxUsage(listSandboxProcesses(child.pid)),
    endReason,
  }
}

/** A process without an input. */
type IsolatedChild = ChildProcessByStdio<null, Readable, Readable>

/** Starts a process whose home folder and scratch space are below its folder. */
function spawnUnsandboxed({
  script,
  bundleFolder,
  folder,
  variables,
}: IsolatedProcessOptions): IsolatedChild {
  for (const name of ['home', 'tmp']) mkdirSync(join(folder, name), { recursive: true })
  return spawn(process.execPath, [script], {
    ...spawnOptions,
    cwd: bundleFolder,
    env: {
      ...variables,
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      ANTICHAIN_SCRATCH: join(folder, 'tmp', 'antichain'),
    },
  })
}

/** Starts a process in a sandbox, with the variables of its options and with a PATH. */
function spawnSandboxed(
  options: IsolatedProcessOptions,
  sandbox: ProcessSandboxOptions,
): IsolatedChild {
  const { script, bundleFolder, folder, variables } = options
  const [file, ...args] = sandboxCommandOf({
    ...sandbox,
    bundleFolder,
    command: [process.execPath, script.replace(bundleFolder, taskRoot)],
    hostName: basename(folder),
  })
  return spawn(file, args, {
    ...spawnOptions,
    cwd: '/',
    // The shell needs a PATH to find bwrap. The PATH of the options takes precedence.
    env: { PATH: process.env['PATH'] ?? '', ...variables },
  })
}

const spawnOptions: SpawnOptionsWithStdioTuple<'ignore', 'pipe', 'pipe'> = {
  detached: true,
  stdio: ['ignore', 'pipe', 'pipe'],
}

/** Signals the processes of a sandbox. Repeats SIGSTOP for those that have started meanwhile. */
function signalSandbox(parentPid: number, name: NodeJS.Signals): void {
  if (name === 'SIGTERM') {
    // The process 1 of a sandbox only reaps others, so the first program has the pid 2.
    const program = listSandboxProcesses(parentPid).find(({ innerPid }) => innerPid === 2)
    if (program !== undefined) sendSignal(program.pid, name)
    return
  }
  const signalledPids = new Set<number>()
  let newPids: readonly number[]
  do {
    newPids = listSandboxProcesses(parentPid).flatMap(({ pid }) =>
      signalledPids.has(pid) ? [] : [pid],
    )
    for (const pid of newPids) {
      sendSignal(pid, name)
      signalledPids.add(pid)
    }
  } while (name === 'SIGSTOP' && newPids.length > 0)
}

/** Signals a process, or a process group by its negative pid. Ignores one that has ended. */
function sendSignal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // The process ended between the check and the signal.
  }
}

/** Calls `onLine` for each line of a stream in UTF-8, without empty lines. */
export function forwardLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let incompleteLine = ''
  const emitLine = (line: string): void => {
    if (line !== '') onLine(line.slice(0, localCloudLimits.lineCharsMax))
  }
  // A character may be split between two chunks. The decoder of the stream keeps its first bytes.
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const parts = (incompleteLine + chunk).split('\n')
    incompleteLine = (parts.pop() ?? '').slice(0, localCloudLimits.lineCharsMax)
    for (const line of parts) emitLine(line)
  })
  stream.once('close', () => emitLine(incompleteLine))
}
