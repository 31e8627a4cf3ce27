import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { type DeployError, createError } from '../../../errors/error.ts'
import { createStoreUnavailableError } from './store-errors.ts'
import type { StorePaths } from './store-paths.ts'

/** The living process that last became the owner of the store. */
export interface StoreOwner {
  readonly pid: number
  /** Whether the process runs or is suspended. `unknown` on systems other than Linux. */
  readonly state: 'running' | 'stopped' | 'unknown'
}

/**
 * Writes the pid of this process, the owner of the store, to the file that `readStoreOwner` reads.
 * Errors are ignored, because the pid only affects messages, and how long other processes wait.
 */
export function writeOwnerPid(path: string): void {
  try {
    writeFileSync(path, `${process.pid}\n`, { mode: 0o600 })
  } catch {
    // The lock, and not this file, determines the owner.
  }
}

/**
 * Returns the error STORE_UNAVAILABLE for an owner that has the lock but does not respond, for
 * example a suspended process.
 */
export function createSilentOwnerError(paths: StorePaths): DeployError {
  const owner = readStoreOwner(paths.pid)
  if (owner === undefined)
    return createStoreUnavailableError(
      paths.database,
      new Error('its owner, another process, does not answer'),
    )
  const { pid } = owner
  const reason = `process ${pid}, which owns it, does not answer`
  return createError(
    'STORE_UNAVAILABLE',
    `the store ${paths.database} is not available: ${reason}`,
    {
      hint: `If that process was stopped, \`kill -CONT ${pid}\` continues it. \`kill -KILL ${pid}\` ends it, and the next command becomes the owner. No data is lost.`,
      details: { path: paths.database, reason, pid },
    },
  )
}

/**
 * Returns the owner that `file` names by its pid. Returns undefined if that process does not live.
 */
export function readStoreOwner(file: string): StoreOwner | undefined {
  try {
    const pid = Number(readFileSync(file, 'utf8'))
    if (!(pid > 0)) return undefined
    process.kill(pid, 0)
    const statFile = `/proc/${pid}/stat`
    if (!existsSync(statFile)) return { pid, state: 'unknown' }
    // The state follows the name of the command: T for stopped, t for stopped by a debugger.
    return { pid, state: /\) [Tt] /.test(readFileSync(statFile, 'utf8')) ? 'stopped' : 'running' }
  } catch {
    return undefined
  }
}
