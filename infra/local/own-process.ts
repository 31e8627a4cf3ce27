import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { cloudLimits } from '../../shared/config/cloud-limits.ts'
import type { Supervisor } from '../../shared/platform/system/supervisor.ts'

/** What a process of the cloud is made of. */
export interface OwnProcessAbout {
  readonly script: string
  readonly cwd: string
  /** A folder for it alone, which is made, and removed with it. */
  readonly folder: string
  /** All its variables, but those of its folders. */
  readonly variables: Readonly<Record<string, string>>
  /** Kills its group when this process is gone, however it ends. */
  readonly supervisor: Pick<Supervisor, 'add' | 'drop'>
  /** A line of its output. */
  readonly said: (line: string) => void
}

/** A process that leads a group of its own. */
export interface OwnProcess {
  readonly pid: number
  /** Signals the group; does nothing once it is gone. */
  readonly signal: (name: NodeJS.Signals) => void
  /** Resolves when it is gone, its group has been killed and its folder removed; never rejects. */
  readonly gone: Promise<string>
}

/** Starts a process that gets nothing of our own environment. */
export function startOwnProcess(about: OwnProcessAbout): OwnProcess {
  const { script, cwd, folder, said, supervisor } = about
  for (const part of ['home', 'tmp']) mkdirSync(join(folder, part), { recursive: true })
  const child = spawn(process.execPath, [script], {
    cwd,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      HOME: join(folder, 'home'),
      TMPDIR: join(folder, 'tmp'),
      ANTICHAIN_SCRATCH: join(folder, 'tmp', 'antichain'),
      ...about.variables,
    },
  })
  for (const stream of [child.stdout, child.stderr]) eachLine(stream, said)
  if (child.pid !== undefined) supervisor.add(child.pid)
  let isOver = false
  const signal = (name: NodeJS.Signals): void => {
    if (!isOver && child.pid !== undefined) signalGroup(child.pid, name)
  }
  const gone = new Promise<string>(resolve => {
    const over = (why: string): void => {
      // What the function left in its group ends with it.
      signal('SIGKILL')
      isOver = true
      if (child.pid !== undefined) supervisor.drop(child.pid)
      // What it started dies a moment later, and may write until then.
      void rm(folder, { recursive: true, force: true, maxRetries: 3 })
        .catch(() => undefined)
        .then(() => resolve(why))
    }
    child.once('error', thrown => over(`cannot be started: ${thrown.message}`))
    child.once('exit', (status, how) => over(`ended by itself with ${status ?? how}`))
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

function eachLine(stream: NodeJS.ReadableStream, said: (line: string) => void): void {
  let rest = ''
  const tell = (line: string): void => {
    if (line !== '') said(line.slice(0, cloudLimits.lineCharsMax))
  }
  stream.on('data', (chunk: Buffer) => {
    const parts = (rest + chunk.toString()).split('\n')
    rest = (parts.pop() ?? '').slice(0, cloudLimits.lineCharsMax)
    for (const line of parts) tell(line)
  })
  stream.once('close', () => tell(rest))
}
