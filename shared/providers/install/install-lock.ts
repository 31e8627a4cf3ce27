import { DatabaseSync } from 'node:sqlite'
import { installLimits as limits } from '../../config/install-limits.ts'

/**
 * Does work that only one process of this machine may do at a time. The lock is the operating
 * system's, upon a file of its own: who dies has let it go. `pause` waits for others.
 */
export async function withInstallLock<T>(
  file: string,
  pause: (ms: number) => Promise<void>,
  work: () => Promise<T>,
): Promise<T> {
  const lock = new DatabaseSync(file, { timeout: 0 })
  try {
    while (!tryTakeLock(lock)) await pause(limits.lockPauseMs)
    return await work()
  } finally {
    lock.close()
  }
}

/** An exclusive transaction that writes nothing: the file stays empty. */
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
