import { statSync } from 'node:fs'
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite'
import { limits } from '../../../config/limits.ts'
import { error } from '../../../errors/error.ts'
import { storeUnavailableError } from './store-errors.ts'
import { guardTriggers } from './methods/record-guards.ts'
import { migrations, volatileTables, schemaVersion } from './database-schema.ts'

/** A row as SQLite returns it. */
export type Row = Readonly<Record<string, SQLOutputValue>>

/** The open database. Each statement is prepared once, and all calls are synchronous. */
export interface Database {
  readonly get: (sql: string, ...values: readonly SQLInputValue[]) => Row | undefined
  readonly all: (sql: string, ...values: readonly SQLInputValue[]) => readonly Row[]
  /** Returns the number of changed rows. */
  readonly run: (sql: string, ...values: readonly SQLInputValue[]) => number
  readonly inTransaction: () => boolean
  /** Reports whether the open file still exists at its path and was not replaced. */
  readonly isInPlace: () => boolean
  readonly close: () => void
  readonly path: string
}

/**
 * Opens the database and migrates it to the current schema. Throws STORE_UNAVAILABLE when it cannot
 * be opened, and STORE_TOO_NEW when a newer version wrote it. `pagesMax` limits its size, in pages
 * of 4 KB.
 */
export function openDatabase(path: string, pagesMax?: number): Database {
  let database: DatabaseSync
  try {
    database = new DatabaseSync(path)
  } catch (thrown) {
    throw storeUnavailableError(path, thrown)
  }
  try {
    configure(database, pagesMax)
    const wrapper = createDatabase(database, path)
    migrate(wrapper, database)
    database.exec('PRAGMA temp_store = MEMORY')
    database.exec(volatileTables)
    database.exec(guardTriggers)
    return wrapper
  } catch (thrown) {
    database.close()
    throw storeUnavailableError(path, thrown)
  }
}

/**
 * Configures the connection. The busy timeout is set first, because the switch to WAL needs a lock
 * and must wait if another process has it.
 */
function configure(database: DatabaseSync, pagesMax: number | undefined): void {
  database.exec(`PRAGMA busy_timeout = ${limits.databaseBusyMs}`)
  database.exec('PRAGMA journal_mode = WAL')
  database.exec('PRAGMA synchronous = FULL')
  database.exec('PRAGMA cache_size = -32000')
  if (pagesMax !== undefined) database.exec(`PRAGMA max_page_count = ${pagesMax}`)
}

function migrate(wrapper: Database, database: DatabaseSync): void {
  database.exec('BEGIN IMMEDIATE')
  database.exec('CREATE TABLE IF NOT EXISTS schema (version INTEGER NOT NULL) STRICT')
  const row = wrapper.get('SELECT version FROM schema')
  const foundVersion = row === undefined ? 0 : readIntegerColumn(row, 'version')
  if (foundVersion > schemaVersion)
    throw error('STORE_TOO_NEW', `the store ${wrapper.path} was written by a newer antichain`, {
      details: { found: foundVersion, known: schemaVersion },
    })
  for (const migration of migrations.slice(foundVersion)) database.exec(migration)
  if (row === undefined) wrapper.run('INSERT INTO schema (version) VALUES (?)', schemaVersion)
  else if (foundVersion < schemaVersion) wrapper.run('UPDATE schema SET version = ?', schemaVersion)
  database.exec('COMMIT')
}

function createDatabase(database: DatabaseSync, path: string): Database {
  const statements = new Map<string, StatementSync>()
  const prepareOnce = (sql: string): StatementSync => {
    const preparedStatement = statements.get(sql)
    if (preparedStatement !== undefined) return preparedStatement
    const statement = database.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const inode = statSync(path).ino
  return {
    get: (sql, ...values) => prepareOnce(sql).get(...values),
    all: (sql, ...values) => prepareOnce(sql).all(...values),
    run: (sql, ...values) => Number(prepareOnce(sql).run(...values).changes),
    inTransaction: () => database.isTransaction,
    isInPlace: () => statSync(path, { throwIfNoEntry: false })?.ino === inode,
    close: () => {
      statements.clear()
      database.close()
    },
    path,
  }
}

/** Returns the value of a text column, or '' for NULL. */
export function readTextColumn(row: Row, column: string): string {
  return String(row[column] ?? '')
}

/** Returns the value of an integer column, or 0 for NULL. */
export function readIntegerColumn(row: Row, column: string): number {
  return Number(row[column] ?? 0)
}
