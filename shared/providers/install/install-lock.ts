import { DatabaseSync } from 'node:sqlite'
import { installLimits as limits } from '../../config/install-limits.ts'

/**
 * Runs a function while this process alone on this machine has the lock of `file`. The lock is a
 * file lock of the operating system, which is released when its holder dies. `pause` waits between
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

/**
 * Tries to acquire the lock by an exclusive transaction. It writes nothing, so the file stays
 * empty.
 */
function tryAcquireLock(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (thrown) {
    const isBusy = thrown instanceof Error && 'errcode' in thrown && thrown.errcode === 5
    if (isBusy) return false
    throw thrown
  }
}
