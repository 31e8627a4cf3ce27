import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { messageOf } from '../../../errors/error.ts'
import { migrations } from './database-schema.ts'
import { readStoreOwner, type StoreOwner } from './store-owner.ts'
import { unavailableReasonOf } from './store-errors.ts'

/** The facts about a store, which `inspectStore` reads without changing it. */
export interface StoreFacts {
  readonly folder: string
  /** The path of the database. */
  readonly database: string
  /** Permission bits of the folder, for example 0o700. */
  readonly mode: number
  /** The id of the user who owns the folder. */
  readonly uid: number
  /** The version of the schema in the file, and the version that this program writes. */
  readonly foundVersion: number
  readonly knownVersion: number
  /** Defects of the file that SQLite reports. Empty for a sound file. */
  readonly defects: readonly string[]
  /** Missing blobs of published snapshots, as `<stack>: <file>`. */
  readonly missingSnapshots: readonly string[]
  /** The living process that last became the owner of the store. */
  readonly owner: StoreOwner | undefined
}

/** Returns the facts about the store below `home`. Returns undefined if there is none. */
export function inspectStore(home: string): StoreFacts | undefined {
  const folder = join(home, 'store')
  const database = join(folder, 'antichain.db')
  if (!existsSync(database)) return undefined
  const { mode, uid } = statSync(folder)
  return {
    folder,
    database,
    mode: mode & 0o777,
    uid,
    knownVersion: migrations.length,
    owner: readStoreOwner(join(folder, 'owner.pid')),
    ...readDatabase(database, home),
  }
}

type DatabaseFacts = Pick<StoreFacts, 'foundVersion' | 'defects' | 'missingSnapshots'>

function readDatabase(path: string, home: string): DatabaseFacts {
  let connection: DatabaseSync | undefined
  try {
    connection = new DatabaseSync(path, { readOnly: true, timeout: 5_000 })
    // SQLite reports at most 5 defects.
    const defects = connection
      .prepare('PRAGMA quick_check(5)')
      .all()
      .map(row => String(row['quick_check']))
      .filter(text => text !== 'ok')
    const foundVersion = Number(connection.prepare('SELECT version FROM schema').get()?.['version'])
    const missingSnapshots = connection
      .prepare(`SELECT id, snapshot FROM stack WHERE snapshot <> '' AND removed = 0`)
      .all()
      .flatMap(({ id, snapshot }) => {
        const file = join(home, 'blobs', String(snapshot).slice(0, 2), String(snapshot))
        return existsSync(file) ? [] : [`${String(id)}: ${file}`]
      })
    return { foundVersion, defects, missingSnapshots }
  } catch (thrown) {
    const reason = unavailableReasonOf(thrown) ?? messageOf(thrown)
    return { foundVersion: 0, defects: [reason], missingSnapshots: [] }
  } finally {
    connection?.close()
  }
}
