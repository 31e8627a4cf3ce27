import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import type { Supervisor } from '../../shared/platform/system/process-supervisor.ts'

/** The options of a process of the cloud. */
export interface IsolatedProcessOptions {
  readonly script: string
  readonly cwd: string
  /** The folder of the process, which is created at its start and removed at its end. */
  readonly folder: string
  /** All variables of the process, except those that name its folders. */
  readonly variables: Readonly<Record<string, string>>
  /** The supervisor, which kills the process group when this process ends in any way. */
  readonly supervisor: Pick<Supervisor, 'add' | 'remove'>
  /** Receives a line of the output. */
  readonly onLine: (line: string) => void
}

/** A process that leads its own process group. */
export interface IsolatedProcess {
  readonly pid: number
  /** Signals the process group. Has no effect after the end of the process. */
  readonly signal: (name: NodeJS.Signals) => void
  /**
   * Resolves with the reason when the process has ended, its group was killed, and its folder was
   * removed. Never rejects.
   */
  readonly endReason: Promise<string>
}

/** Starts a process that inherits nothing of this process's environment. */
export function startIsolatedProcess(options: IsolatedProcessOptions): IsolatedProcess {
  const { script, cwd, folder, onLine, supervisor } = options
  for (const part of ['home', 'tmp']) mkdirSync(join(folder, part), { recursive: true })
  const child = spawn(process.execPath, [script], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      ANTICHAIN_SCRATCH: join(folder, 'tmp', 'antichain'),
      ...options.variables,
    },
  })
  for (const stream of [child.stdout, child.stderr]) readLines(stream, onLine)
  if (child.pid !== undefined) supervisor.add(child.pid)
  let hasEnded = false
  const signal = (name: NodeJS.Signals): void => {
    if (!hasEnded && child.pid !== undefined) signalGroup(child.pid, name)
  }
  const endReason = new Promise<string>(resolve => {
    const finish = (reason: string): void => {
      // The remaining processes of the group end with their leader.
      signal('SIGKILL')
      hasEnded = true
      if (child.pid !== undefined) supervisor.remove(child.pid)
      // Other processes of the group die a moment later, and may write to the folder until then.
      void rm(folder, { recursive: true, force: true, maxRetries: 3 })
        .catch(() => undefined)
        .then(() => resolve(reason))
    }
    child.once('error', thrown => finish(`failed to start: ${thrown.message}`))
    child.once('exit', (status, exitSignal) => finish(`exited with ${status ?? exitSignal}`))
  })
  return { pid: child.pid ?? 0, signal, endReason }
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name)
  } catch {
    // The group may have ended between the check and the signal.
  }
}

function readLines(stream: NodeJS.ReadableStream, onLine: (line: string) => void): void {
  let rest = ''
  const emitLine = (line: string): void => {
    if (line !== '') onLine(line.slice(0, cloudLimits.lineCharsMax))
  }
  stream.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n')
    rest = (parts.pop() ?? '').slice(0, cloudLimits.lineCharsMax)
    for (const line of parts) emitLine(line)
  })
  stream.once('close', () => emitLine(rest))
}
