import { DatabaseSync } from 'node:sqlite'
import { installLimits as limits } from '../../config/install-limits.ts'

/**
 * Runs a function while this call holds the lock of `file` on this machine. The lock is a file lock
 * of the operating system, which is released when the holding process dies. `pause` waits between
 * attempts.
 */
export async function withInstallLock<T>(
  file: string,
  pause: (ms: number) => Promise<void>,
  run: () => Promise<T>,
): Promise<T> {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    while (!tryAcquireLock(lock)) await pause(limits.lockPollMs)
    return await run()
  } finally {
    lock.close()
  }
}

/** The error code SQLITE_BUSY. */
const busyCode = 5

/**
 * Tries to acquire the lock by an exclusive transaction. The transaction writes nothing, so the
 * file stays empty.
 */
function tryAcquireLock(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (thrown) {
    const isBusy = thrown instanceof Error && 'errcode' in thrown && thrown.errcode === busyCode
    if (isBusy) return false
    throw thrown
  }
}
