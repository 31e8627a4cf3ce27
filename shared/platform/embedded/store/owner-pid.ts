import { readFileSync, writeFileSync } from 'node:fs'
import { type DeployError, error } from '../../../errors/error.ts'
import { createStoreUnavailableError } from './store-errors.ts'
import type { StorePaths } from './store-paths.ts'

/**
 * Writes the pid of this process, the owner of the store, to the file that `createSilentOwnerError`
 * reads. Errors are ignored, because the pid is only used in messages.
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
  const pid = readOwnerPid(paths.pid)
  if (pid === undefined)
    return createStoreUnavailableError(
      paths.database,
      new Error('its owner, another process, does not answer'),
    )
  const reason = `process ${pid}, which owns it, does not answer`
  return error('STORE_UNAVAILABLE', `the store ${paths.database} is not available: ${reason}`, {
    hint: `If that process was stopped, \`kill -CONT ${pid}\` continues it. \`kill -KILL ${pid}\` ends it, and the next command becomes the owner. No data is lost.`,
    details: { path: paths.database, reason, pid },
  })
}

function readOwnerPid(path: string): number | undefined {
  try {
    const pid = Number(readFileSync(path, 'utf8'))
    process.kill(pid, 0)
    return pid > 0 ? pid : undefined
  } catch {
    return undefined
  }
}
