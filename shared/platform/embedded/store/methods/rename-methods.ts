import type { DeploymentStart } from '../../../../ports/catalog.ts'
import type { DocumentKey } from '../../../../ports/documents.ts'
import type { RenameResult } from '../../../../ports/stack-renames.ts'
import type { RequestEnd } from '../../../../records/stack-request.ts'
import {
  type BlobHash,
  type DeploymentId,
  deploymentIdOf,
  deploymentPartsOf,
  type EpochMs,
  type StackId,
  stackPartsOf,
} from '../../../../records/ids.ts'
import { parseJson } from '../../../../values/parse-json.ts'
import { historyBeginOf } from '../../../records/history-begin.ts'
import { movedValueOf } from '../../../records/moved-document.ts'
import { type Database, readIntegerColumn, readTextColumn } from '../database.ts'
import { defineMultiWrite } from './method.ts'

/**
 * The method that renames a stack. The records of the stack get the new id. Ended requests and the
 * records of earlier deployments keep the old id until they are removed. The converted state is
 * published in the same transaction.
 */
export const renameMethods = {
  'catalog.renameStack': defineMultiWrite(
    (
      database,
      args: {
        readonly id: StackId
        readonly to: StackId
        /** The version that was converted to the new state. */
        readonly expected: number
        /** The snapshot of the new state. '' if the stack has no state. */
        readonly snapshot: BlobHash | ''
        /** The archive of the stack's program under the new id. '' if there is none. */
        readonly program: BlobHash | ''
        readonly at: EpochMs
        readonly by?: string | undefined
        /** The key of the request for the rename. '' if there is none. */
        readonly key: string
        readonly token: string
      },
    ): RenameResult => {
      const { id, to, expected, snapshot } = args
      const targetRow = database.get('SELECT * FROM stack WHERE id = ?', to)
      const targetExists = targetRow !== undefined && readIntegerColumn(targetRow, 'removed') === 0
      if (targetExists && readTextColumn(targetRow, 'token') === args.token) return 'renamed'
      const sourceRow = database.get('SELECT * FROM stack WHERE id = ? AND removed = 0', id)
      if (sourceRow === undefined) return 'missing'
      if (targetExists) return 'exists'
      if (readTextColumn(sourceRow, 'current') !== '' || !isOnlyRequest(database, id, args.key))
        return 'busy'
      if (readIntegerColumn(sourceRow, 'version') !== expected) return 'conflict'
      const lastTargetNumber =
        targetRow === undefined ? 0 : readIntegerColumn(targetRow, 'deployments')
      const number = Math.max(lastTargetNumber, readIntegerColumn(sourceRow, 'deployments')) + 1
      const version = snapshot === '' ? expected : expected + 1
      database.run(
        `INSERT INTO stack (id, project, created_at, token, version, snapshot, deployments)
           VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO UPDATE SET created_at = excluded.created_at, token = excluded.token,
           version = excluded.version, snapshot = excluded.snapshot,
           deployments = excluded.deployments, removed = 0`,
        to,
        stackPartsOf(to).project,
        readIntegerColumn(sourceRow, 'created_at'),
        args.token,
        version,
        snapshot,
        number,
      )
      database.run("UPDATE stack SET removed = 1, version = 0, snapshot = '' WHERE id = ?", id)
      moveRows(database, id, to)
      database.run('DELETE FROM program WHERE stack IN (?, ?)', id, to)
      if (args.program !== '')
        database.run('INSERT INTO program (stack, archive) VALUES (?, ?)', to, args.program)
      const end: RequestEnd = { kind: 'renamed', to }
      database.run(
        "UPDATE request SET ended = ? WHERE stack = ? AND key = ? AND ended = ''",
        JSON.stringify(end),
        id,
        args.key,
      )
      if (snapshot !== '') publishVersion(database, { stack: to, version, snapshot })
      const start = { command: 'stack rename', message: `was ${id}`, at: args.at } as const
      recordRename(database, deploymentIdOf(to, number), {
        start: args.by === undefined ? start : { ...start, by: args.by },
        version,
      })
      return 'renamed'
    },
  ),
}

function publishVersion(
  database: Database,
  published: { readonly stack: StackId; readonly version: number; readonly snapshot: BlobHash },
): void {
  const { stack, version, snapshot } = published
  const statement = 'INSERT INTO snapshot (stack, version, blob) VALUES (?, ?, ?)'
  database.run(statement, stack, version, snapshot)
}

/**
 * Reports whether the request with this key is the only waiting one. For the key '', reports
 * whether no request waits. Returns false if the request with the key was withdrawn.
 */
function isOnlyRequest(database: Database, id: StackId, key: string): boolean {
  const rows = database.all("SELECT key FROM request WHERE stack = ? AND ended = ''", id)
  const keys = rows.map(row => readTextColumn(row, 'key'))
  return keys.length === (key === '' ? 0 : 1) && keys.every(waitingKey => waitingKey === key)
}

/**
 * Moves the rows of a stack to its new id. First deletes the rows that a removed stack left under
 * the new id.
 */
function moveRows(database: Database, id: StackId, newId: StackId): void {
  const tables = [
    ['history', 'stack'],
    ['snapshot', 'stack'],
    ['late', 'stack'],
    ['slow', 'stack'],
    ['document', 'scope'],
  ] as const
  for (const [table, column] of tables) {
    database.run(`DELETE FROM ${table} WHERE ${column} = ?`, newId)
    database.run(`UPDATE ${table} SET ${column} = ? WHERE ${column} = ?`, newId, id)
  }
  changeMovedDocuments(database, id, newId)
}

/** Gives the moved documents of a stack the values that they have under its new id. */
function changeMovedDocuments(database: Database, id: StackId, newId: StackId): void {
  for (const row of database.all('SELECT kind, name, value FROM document WHERE scope = ?', newId)) {
    const [kind, name] = [readTextColumn(row, 'kind'), readTextColumn(row, 'name')]
    const value = parseJson(readTextColumn(row, 'value'))
    const movedValue = movedValueOf({ kind, scope: id, name } as DocumentKey, value)
    if (movedValue !== value)
      database.run(
        'UPDATE document SET value = ? WHERE kind = ? AND scope = ? AND name = ?',
        JSON.stringify(movedValue),
        kind,
        newId,
        name,
      )
  }
}

/** Records the rename in the history, as a deployment that began and ended at the same time. */
function recordRename(
  database: Database,
  deployment: DeploymentId,
  { start, version }: { readonly start: DeploymentStart; readonly version: number },
): void {
  const { stack, number } = deploymentPartsOf(deployment)
  const end = { endedAt: start.at, result: 'succeeded', changes: {}, version }
  database.run(
    'INSERT INTO history (stack, number, begun, ended) VALUES (?, ?, ?, ?)',
    stack,
    number,
    JSON.stringify(historyBeginOf(deployment, start)),
    JSON.stringify(end),
  )
}
