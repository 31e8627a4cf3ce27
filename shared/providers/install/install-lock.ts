import { DatabaseSync } from 'node:sqlite'
import { installLimits as limits } from '../../config/install-limits.ts'

/**
 * Runs work that only one process of this machine may run at a time. The lock is a file lock of the
 * operating system, which is released when its holder dies. `pause` waits between attempts.
 */
export async function withInstallLock<T>(
  file: string,
  pause: (ms: number) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    while (!tryTakeLock(lock)) await pause(limits.lockPollMs)
    return await work()
  } finally {
    lock.close()
  }
}

/** Acquires the lock by an exclusive transaction that writes nothing, so the file stays empty. */
function tryTakeLock(lock: DatabaseSync): boolean {
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return true
  } catch (thrown) {
    const isBusy = thrown instanceof Error && 'errcode' in thrown && thrown.errcode === 5
    if (isBusy) return false
    throw thrown
  }
}
