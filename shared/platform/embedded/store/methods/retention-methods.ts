import type { KeptDeployment } from '../../../../ports/retention.ts'
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
import { parseRecordJson } from '../../../records/record-forms.ts'

/** Tables of records with their keys, in order of removal. The control record is removed last. */
const recordTables = [
  ['log', 'number'],
  ['event', 'position'],
  ['outcome', 'operation, attempt'],
  ['head', 'operation'],
  ['lease', 'executor'],
  ['control', 'deployment'],
] as const

/** Rows per page of references. */
const rowsPerRead = 100

/** Methods of retention: the removal of records and the data for its decisions. */
export const retentionMethods = {
  'retention.deployments': defineRead((database, _args: object): readonly KeptDeployment[] => {
    const ids = new Set(recordTables.flatMap(([table]) => listDeploymentIds(database, table)))
    const real = [...ids].filter(id => !isPreviewId(id as DeploymentId))
    return real.toSorted().map(id => readKeptDeployment(database, id as DeploymentId))
  }),

  'retention.removeRecords': defineMultiWrite(
    (database, args: { readonly deployment: DeploymentId; readonly rows: number }): boolean => {
      const { closed, isCurrent } = readKeptDeployment(database, args.deployment)
      if (closed === false || isCurrent) return true
      let left = args.rows
      for (const [table, key] of recordTables) {
        if (left <= 0) return false
        left -= database.run(
          `DELETE FROM ${table} WHERE deployment = ?1 AND (${key}) IN (
             SELECT ${key} FROM ${table} WHERE deployment = ?1 ORDER BY ${key} LIMIT ?2)`,
          args.deployment,
          left,
        )
      }
      return left > 0
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
   * Every text of every table is searched, so that no record is missed. The cursor is a table and
   * the key of the last row read, as JSON.
   */
  'retention.references': defineRead(
    (
      database,
      args: { readonly cursor: string },
    ): { readonly hashes: readonly BlobHash[]; readonly next: string | null } => {
      const tables = listTables(database)
      const [name = tables[0] ?? '', ...after] = parseCursor(args.cursor)
      const { keys, texts } = listColumns(database, name)
      const place = keys.join(', ')
      const behind =
        after.length === 0 ? '' : `WHERE (${place}) > (${keys.map(() => '?').join(', ')})`
      const rows = database.all(
        `SELECT * FROM ${name} ${behind} ORDER BY ${place} LIMIT ${rowsPerRead}`,
        ...after,
      )
      const found = rows.flatMap(row =>
        texts.flatMap(column => findHashes(readTextColumn(row, column))),
      )
      const hashes = [...new Set(found)]
      const last = rows[rowsPerRead - 1]
      if (last !== undefined)
        return { hashes, next: JSON.stringify([name, ...keys.map(key => last[key])]) }
      const table = tables[tables.indexOf(name) + 1]
      return { hashes, next: table === undefined ? null : JSON.stringify([table]) }
    },
  ),
}

/**
 * Returns the deployments of a table with one index step each, regardless of their number of rows.
 */
function listDeploymentIds(database: Database, table: string): readonly string[] {
  return database
    .all(
      `WITH RECURSIVE one (id) AS (
         SELECT min(deployment) FROM ${table}
         UNION ALL SELECT (SELECT min(deployment) FROM ${table} WHERE deployment > id)
           FROM one WHERE id IS NOT NULL)
       SELECT id FROM one WHERE id IS NOT NULL`,
    )
    .map(row => readTextColumn(row, 'id'))
}

function readKeptDeployment(database: Database, deployment: DeploymentId): KeptDeployment {
  const { stack, number } = deploymentPartsOf(deployment)
  const control = database.get('SELECT closed FROM control WHERE deployment = ?', deployment)
  const owner = database.get('SELECT current FROM stack WHERE id = ? AND removed = 0', stack)
  const history = database.get(
    'SELECT ended FROM history WHERE stack = ? AND number = ?',
    stack,
    number,
  )
  const ended = history === undefined ? '' : readTextColumn(history, 'ended')
  return {
    deployment,
    closed: control === undefined ? undefined : readIntegerColumn(control, 'closed') === 1,
    isCurrent: owner !== undefined && readTextColumn(owner, 'current') === deployment,
    isInHistory: history !== undefined,
    ...(ended === '' ? {} : { endedAt: parseEndedAt(ended, { stack, number }) }),
  }
}

function parseEndedAt(ended: string, keys: { stack: StackId; number: number }): EpochMs {
  const isEnd = (value: unknown): value is { readonly endedAt: EpochMs } =>
    typeof value === 'object' && value !== null && 'endedAt' in value
  return parseRecordJson({ kind: 'history', keys }, ended, isEnd).endedAt
}

/** Events are left out, because they reference no blobs. */
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
): { readonly keys: readonly string[]; readonly texts: readonly string[] } {
  const rows = database.all('SELECT name, type, pk FROM pragma_table_info(?)', table)
  const keys = rows
    .filter(row => readIntegerColumn(row, 'pk') > 0)
    .toSorted((a, b) => readIntegerColumn(a, 'pk') - readIntegerColumn(b, 'pk'))
  const texts = rows.filter(row => readTextColumn(row, 'type') === 'TEXT')
  return {
    keys: keys.map(row => readTextColumn(row, 'name')),
    texts: texts.map(row => readTextColumn(row, 'name')),
  }
}

function parseCursor(cursor: string): readonly string[] {
  return cursor === '' ? [] : (JSON.parse(cursor) as string[])
}

function findHashes(written: string): readonly BlobHash[] {
  return (written.match(/\b[0-9a-f]{64}\b/g) ?? []) as BlobHash[]
}
