import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import type { Supervisor } from '../../shared/platform/system/process-supervisor.ts'

/** What a process of the cloud is made of. */
export interface IsolatedProcessOptions {
  readonly script: string
  readonly cwd: string
  /** A folder for it alone, which is made, and removed with it. */
  readonly folder: string
  /** All its variables, but those of its folders. */
  readonly variables: Readonly<Record<string, string>>
  /** Kills its group when this process is gone, however it ends. */
  readonly supervisor: Pick<Supervisor, 'add' | 'remove'>
  /** A line of its output. */
  readonly onLine: (line: string) => void
}

/** A process that leads a group of its own. */
export interface IsolatedProcess {
  readonly pid: number
  /** Signals the group; does nothing once it is gone. */
  readonly signal: (name: NodeJS.Signals) => void
  /** Resolves when it is gone, its group has been killed and its folder removed; never rejects. */
  readonly gone: Promise<string>
}

/** Starts a process that gets nothing of our own environment. */
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
  let isOver = false
  const signal = (name: NodeJS.Signals): void => {
    if (!isOver && child.pid !== undefined) signalGroup(child.pid, name)
  }
  const gone = new Promise<string>(resolve => {
    const finish = (why: string): void => {
      // What the function left in its group ends with it.
      signal('SIGKILL')
      isOver = true
      if (child.pid !== undefined) supervisor.remove(child.pid)
      // What it started dies a moment later, and may write until then.
      void rm(folder, { recursive: true, force: true, maxRetries: 3 })
        .catch(() => undefined)
        .then(() => resolve(why))
    }
    child.once('error', thrown => finish(`cannot be started: ${thrown.message}`))
    child.once('exit', (status, how) => finish(`ended by itself with ${status ?? how}`))
  })
  return { pid: child.pid ?? 0, signal, gone }
}

function signalGroup(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(-pid, name)
  } catch {
    // It ended by itself between the look and the signal.
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
