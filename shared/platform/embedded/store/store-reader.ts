import { openDatabaseForReading } from './database.ts'
import { replyToReads } from './methods/run-batch.ts'
import type { StoreReply, StoreRequest } from './store-message.ts'

/** Answers reads from the database, without its owner. */
export interface StoreReader {
  /**
   * Answers the requests if all of them only read and succeed. Otherwise the function closes the
   * reader and returns undefined, because a later read must see what this process writes.
   */
  readonly reply: (requests: readonly StoreRequest[]) => readonly StoreReply[] | undefined
  readonly isOpen: () => boolean
  readonly close: () => void
}

/** Opens a reader of a database. Returns a closed reader if the database cannot be read. */
export function openStoreReader(path: string): StoreReader {
  let database = openDatabaseForReading(path)
  const close = (): void => {
    database?.close()
    database = undefined
  }
  return {
    isOpen: () => database !== undefined,
    close,
    reply: requests => {
      const replies = database === undefined ? undefined : replyToReads(database, requests)
      if (replies === undefined) close()
      return replies
    },
  }
}
