import { DatabaseSync } from 'node:sqlite'
import { createStoreUnavailableError } from './store-errors.ts'

/** An exclusive lock in a file, such as the lock of the store's owner. */
export interface StoreLock {
  readonly release: () => void
}

/**
 * Acquires the lock. Returns undefined when another process, or another part of this process, holds
 * the lock. The lock is an open SQLite transaction on an empty database, so the operating system
 * releases it when its holder dies. Throws STORE_UNAVAILABLE when the file cannot be opened.
 */
export function tryLock(path: string): StoreLock | undefined {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: 0 })
    database.exec('BEGIN EXCLUSIVE')
  } catch (thrown) {
    database?.close()
    if (isBusy(thrown)) return undefined
    throw createStoreUnavailableError(path, thrown)
  }
  const lockedDatabase = database
  return { release: () => lockedDatabase.close() }
}

/** The primary result code of SQLite for a database that another connection locks. */
const sqliteBusy = 5

function isBusy(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !('errcode' in thrown)) return false
  return (Number(thrown.errcode) & 0xff) === sqliteBusy
}
