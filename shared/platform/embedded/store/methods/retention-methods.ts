import type { RecordedDeployment } from '../../../../ports/retention.ts'
import {
  type BlobHash,
  type DeploymentId,
  type EpochMs,
  type StackId,
  deploymentPartsOf,
  isPreviewId,
} from '../../../../records/ids.ts'
import { type Database, readIntegerColumn, readTextColumn } from '../database.ts'
import { defineRead, defineWrite, defineMultiWrite } from './method.ts'
import { findBlobHashes } from '../../../records/blob-hashes.ts'
import { parseRecordJson } from '../../../records/record-layouts.ts'

/** Tables of deployment records with their keys, in the order of removal: control records last. */
const recordTables = [
  ['log', 'number'],
  ['event', 'position'],
  ['outcome', 'operation, attempt'],
  ['head', 'operation'],
  ['lease', 'executor'],
  ['control', 'deployment'],
] as const

/** Maximum number of rows that one call of `retention.references` searches. */
const rowsPerRead = 100

/** Methods of retention. They remove records, and read the facts that decide about removals. */
export const retentionMethods = {
  'retention.deployments': defineRead((database, _args: object): readonly RecordedDeployment[] => {
    const ids = new Set(recordTables.flatMap(([table]) => listDeploymentIds(database, table)))
    const deploymentIds = [...ids].filter(id => !isPreviewId(id as DeploymentId))
    return deploymentIds.toSorted().map(id => readRecordedDeployment(database, id as DeploymentId))
  }),

  /**
   * Removes up to `rows` records of a deployment. Returns false while removable records may remain.
   * If the deployment is open, or its control record is not closed, removes nothing and returns
   * true.
   */
  'retention.removeRecords': defineMultiWrite(
    (database, args: { readonly deployment: DeploymentId; readonly rows: number }): boolean => {
      const { closed, isOpen } = readRecordedDeployment(database, args.deployment)
      if (closed === false || isOpen) return true
      let remaining = args.rows
      for (const [table, key] of recordTables) {
        if (remaining <= 0) return false
        remaining -= database.run(
          `DELETE FROM ${table} WHERE deployment = ?1 AND (${key}) IN (
             SELECT ${key} FROM ${table} WHERE deployment = ?1 ORDER BY ${key} LIMIT ?2)`,
          args.deployment,
          remaining,
        )
      }
      return remaining > 0
    },
  ),

  'retention.removeVersions': defineWrite(
    (database, args: { readonly stack: StackId; readonly through: number }): number =>
      database.run(
        `DELETE FROM snapshot WHERE stack = ?1 AND version <= ?2
           AND version < (SELECT version FROM stack WHERE id = ?1)`,
        args.stack,
        args.through,
      ),
  ),

  /**
   * Returns the blob hashes in the rows after the cursor, up to `rowsPerRead` rows of one table.
   * All text columns of the tables of `listTables` are searched, so that no reference is missed.
   * The cursor is a JSON list: a table, and the key of the last row read. '': the first table.
   */
  'retention.references': defineRead(
    (
      database,
      args: { readonly cursor: string },
    ): { readonly hashes: readonly BlobHash[]; readonly next: string | null } => {
      const tables = listTables(database)
      const [tableName = tables[0] ?? '', ...afterKeys] = parseCursor(args.cursor)
      const { keyColumns, textColumns } = listColumns(database, tableName)
      const keyList = keyColumns.join(', ')
      const whereClause =
        afterKeys.length === 0
          ? ''
          : `WHERE (${keyList}) > (${keyColumns.map(() => '?').join(', ')})`
      const rows = database.all(
        `SELECT * FROM ${tableName} ${whereClause} ORDER BY ${keyList} LIMIT ${rowsPerRead}`,
        ...afterKeys,
      )
      const foundHashes = rows.flatMap(row =>
        textColumns.flatMap(column => findBlobHashes(readTextColumn(row, column))),
      )
      const hashes = [...new Set(foundHashes)]
      const lastRow = rows[rowsPerRead - 1]
      if (lastRow !== undefined)
        return {
          hashes,
          next: JSON.stringify([tableName, ...keyColumns.map(column => lastRow[column])]),
        }
      const nextTable = tables[tables.indexOf(tableName) + 1]
      return { hashes, next: nextTable === undefined ? null : JSON.stringify([nextTable]) }
    },
  ),
}

/**
 * Returns the ids of the deployments in a table. The query takes one index step per deployment,
 * regardless of the number of rows.
 */
function listDeploymentIds(database: Database, table: string): readonly string[] {
  return database
    .all(
      `WITH RECURSIVE found (id) AS (
         SELECT min(deployment) FROM ${table}
         UNION ALL SELECT (SELECT min(deployment) FROM ${table} WHERE deployment > id)
           FROM found WHERE id IS NOT NULL)
       SELECT id FROM found WHERE id IS NOT NULL`,
    )
    .map(row => readTextColumn(row, 'id'))
}

function readRecordedDeployment(database: Database, deployment: DeploymentId): RecordedDeployment {
  const { stack, number } = deploymentPartsOf(deployment)
  const controlRow = database.get('SELECT closed FROM control WHERE deployment = ?', deployment)
  // `targeted` is the JSON of the open targeted deployments, and contains each id in quotes.
  const stackRow = database.get(
    `SELECT 1 FROM stack WHERE id = ?1 AND removed = 0
       AND (current = ?2 OR instr(targeted, '"' || ?2 || '"') > 0)`,
    stack,
    deployment,
  )
  const historyRow = database.get(
    'SELECT ended FROM history WHERE stack = ? AND number = ?',
    stack,
    number,
  )
  const endJson = historyRow === undefined ? '' : readTextColumn(historyRow, 'ended')
  return {
    deployment,
    closed: controlRow === undefined ? undefined : readIntegerColumn(controlRow, 'closed') === 1,
    isOpen: stackRow !== undefined,
    isInHistory: historyRow !== undefined,
    ...(endJson === '' ? {} : { endedAt: parseEndedAt(endJson, { stack, number }) }),
  }
}

function parseEndedAt(endJson: string, keys: { stack: StackId; number: number }): EpochMs {
  const isEnd = (value: unknown): value is { readonly endedAt: EpochMs } =>
    typeof value === 'object' && value !== null && 'endedAt' in value
  return parseRecordJson({ kind: 'history', keys }, endJson, isEnd).endedAt
}

/** Returns the names of all tables except `schema` and `event`. Events reference no blobs. */
function listTables(database: Database): readonly string[] {
  return database
    .all(
      `SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
         AND name NOT IN ('event', 'schema') ORDER BY name`,
    )
    .map(row => readTextColumn(row, 'name'))
}

function listColumns(
  database: Database,
  table: string,
): { readonly keyColumns: readonly string[]; readonly textColumns: readonly string[] } {
  const rows = database.all('SELECT name, type, pk FROM pragma_table_info(?)', table)
  const keyRows = rows
    .filter(row => readIntegerColumn(row, 'pk') > 0)
    .toSorted((a, b) => readIntegerColumn(a, 'pk') - readIntegerColumn(b, 'pk'))
  const textRows = rows.filter(row => readTextColumn(row, 'type') === 'TEXT')
  return {
    keyColumns: keyRows.map(row => readTextColumn(row, 'name')),
    textColumns: textRows.map(row => readTextColumn(row, 'name')),
  }
}

function parseCursor(cursor: string): readonly string[] {
  return cursor === '' ? [] : (JSON.parse(cursor) as string[])
}
