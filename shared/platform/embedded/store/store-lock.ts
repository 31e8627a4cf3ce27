import { DatabaseSync } from 'node:sqlite'
import { storeUnavailableError } from './store-errors.ts'

/** The right to own the store. */
export interface StoreLock {
  readonly release: () => void
}

/**
 * Takes the lock, or answers undefined when another process (or another part of this one) has it.
 * The lock is SQLite's own on an otherwise empty database; the system releases it when its holder
 * dies, however it dies. Throws STORE_UNAVAILABLE when the file cannot be opened.
 */
export function tryLock(path: string): StoreLock | undefined {
  let database: DatabaseSync | undefined
  try {
    database = new DatabaseSync(path, { timeout: 0 })
    database.exec('BEGIN EXCLUSIVE')
  } catch (thrown) {
    database?.close()
    if (isBusy(thrown)) return undefined
    throw storeUnavailableError(path, thrown)
  }
  const held = database
  return { release: () => held.close() }
}

function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && (Number(thrown.errcode) & 0xff) === 5
}
