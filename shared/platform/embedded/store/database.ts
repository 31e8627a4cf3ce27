import { chmodSync, renameSync, rmSync, statSync } from 'node:fs'
import {
  DatabaseSync,
  type SQLInputValue,
  type SQLOutputValue,
  type StatementSync,
} from 'node:sqlite'
import { limits } from '../../../config/limits.ts'
import { createError } from '../../../errors/error.ts'
import { createStoreUnavailableError } from './store-errors.ts'
import { syncPath } from './store-paths.ts'
import { guardTriggers } from './methods/record-guards.ts'
import { migrations, temporaryTables, schemaVersion } from './database-schema.ts'

/** A row as SQLite returns it. */
export type Row = Readonly<Record<string, SQLOutputValue>>

/** The open database. Each statement is prepared once, and all calls are synchronous. */
export interface Database {
  readonly get: (sql: string, ...values: readonly SQLInputValue[]) => Row | undefined
  readonly all: (sql: string, ...values: readonly SQLInputValue[]) => readonly Row[]
  /** Returns the number of changed rows. */
  readonly run: (sql: string, ...values: readonly SQLInputValue[]) => number
  readonly isInTransaction: () => boolean
  /** Reports whether the open file still exists at its path and was not replaced. */
  readonly isInPlace: () => boolean
  readonly close: () => void
  readonly path: string
}

/**
 * Opens the database and migrates it to the current schema. A copy of a database with an older
 * schema remains beside it. `pagesMax` limits the size of the database, in pages of 4 KB. Throws
 * STORE_UNAVAILABLE when the database cannot be opened. Throws STORE_TOO_NEW when a newer version
 * of antichain wrote the database.
 */
export function openDatabase(path: string, pagesMax?: number): Database {
  let connection: DatabaseSync
  try {
    connection = new DatabaseSync(path)
  } catch (thrown) {
    throw createStoreUnavailableError(path, thrown)
  }
  try {
    configure(connection, pagesMax)
    const database = createDatabase(connection, path)
    copyOldDatabase(database, connection)
    migrate(database, connection)
    connection.exec('PRAGMA temp_store = MEMORY')
    connection.exec(temporaryTables)
    connection.exec(guardTriggers)
    return database
  } catch (thrown) {
    connection.close()
    throw createStoreUnavailableError(path, thrown)
  }
}

/**
 * Opens the database only for reading. Its owner may write at the same time, and each statement
 * reads committed records. Returns undefined if the database is absent, has another schema, or
 * cannot be opened for reading only.
 */
export function openDatabaseForReading(path: string): Database | undefined {
  let connection: DatabaseSync | undefined
  try {
    connection = new DatabaseSync(path, { readOnly: true, timeout: limits.databaseBusyMs })
    const database = createDatabase(connection, path)
    const row = database.get('SELECT version FROM schema')
    if (row !== undefined && readIntegerColumn(row, 'version') === schemaVersion) return database
  } catch {
    // The owner of the store finds the same fault when it opens the database, and reports it.
  }
  connection?.close()
  return undefined
}

/**
 * Configures the connection. The busy timeout is set first, because the switch to WAL needs a lock
 * and must wait if another process has it.
 */
function configure(connection: DatabaseSync, pagesMax: number | undefined): void {
  connection.exec(`PRAGMA busy_timeout = ${limits.databaseBusyMs}`)
  connection.exec('PRAGMA journal_mode = WAL')
  connection.exec('PRAGMA synchronous = FULL')
  // A negative size is in KiB.
  connection.exec('PRAGMA cache_size = -32000')
  if (pagesMax !== undefined) connection.exec(`PRAGMA max_page_count = ${pagesMax}`)
}

/** Returns the path of the copy of a database that had the schema `version` before its migration. */
export function backupPathOf(path: string, version: number): string {
  return `${path}.v${version}`
}

/**
 * Copies a database with an older schema, so that an older version of antichain can use the copy.
 * The copy gets its name when it is complete.
 */
function copyOldDatabase(database: Database, connection: DatabaseSync): void {
  const hasTable = database.get(`SELECT 1 FROM sqlite_master WHERE name = 'schema'`) !== undefined
  const row = hasTable ? database.get('SELECT version FROM schema') : undefined
  const foundVersion = row === undefined ? 0 : readIntegerColumn(row, 'version')
  if (foundVersion === 0 || foundVersion >= schemaVersion) return
  const backup = backupPathOf(database.path, foundVersion)
  const partialCopy = `${backup}.next`
  rmSync(partialCopy, { force: true })
  try {
    connection.prepare('VACUUM INTO ?').run(partialCopy)
    chmodSync(partialCopy, 0o600)
    syncPath(partialCopy)
    renameSync(partialCopy, backup)
  } catch (thrown) {
    // On a full disk, a partial copy would keep the last free space.
    rmSync(partialCopy, { force: true })
    throw thrown
  }
}

function migrate(database: Database, connection: DatabaseSync): void {
  connection.exec('BEGIN IMMEDIATE')
  connection.exec('CREATE TABLE IF NOT EXISTS schema (version INTEGER NOT NULL) STRICT')
  const row = database.get('SELECT version FROM schema')
  const foundVersion = row === undefined ? 0 : readIntegerColumn(row, 'version')
  if (foundVersion > schemaVersion)
    throw createError(
      'STORE_TOO_NEW',
      `the store ${database.path} was written by a newer antichain`,
      {
        details: { found: foundVersion, known: schemaVersion },
      },
    )
  for (const migration of migrations.slice(foundVersion)) connection.exec(migration)
  if (row === undefined) database.run('INSERT INTO schema (version) VALUES (?)', schemaVersion)
  else if (foundVersion < schemaVersion)
    database.run('UPDATE schema SET version = ?', schemaVersion)
  connection.exec('COMMIT')
}

function createDatabase(connection: DatabaseSync, path: string): Database {
  const statements = new Map<string, StatementSync>()
  const prepareOnce = (sql: string): StatementSync => {
    const preparedStatement = statements.get(sql)
    if (preparedStatement !== undefined) return preparedStatement
    const statement = connection.prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  const inode = statSync(path).ino
  return {
    get: (sql, ...values) => prepareOnce(sql).get(...values),
    all: (sql, ...values) => prepareOnce(sql).all(...values),
    run: (sql, ...values) => Number(prepareOnce(sql).run(...values).changes),
    isInTransaction: () => connection.isTransaction,
    isInPlace: () => statSync(path, { throwIfNoEntry: false })?.ino === inode,
    close: () => {
      statements.clear()
      connection.close()
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
