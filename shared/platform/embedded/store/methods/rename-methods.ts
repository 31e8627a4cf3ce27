import type { HistoryRecord } from '../../../../ports/catalog.ts'
import {
  type BlobHash,
  deploymentIdOf,
  type EpochMs,
  type StackId,
  stackPartsOf,
} from '../../../../records/ids.ts'
import { type Database, readIntegerColumn, readTextColumn } from '../database.ts'
import { defineMultiWrite } from './method.ts'

/**
 * The result of a rename. `renamed`: done, now or by an earlier copy of the call. `missing`: the
 * stack does not exist. `exists`: the new id is in use. `busy`: a deployment is current, or a
 * request waits. `conflict`: the stack has another version than expected.
 */
export type RenameResult = 'renamed' | 'missing' | 'exists' | 'busy' | 'conflict'

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
        /** The version that was converted to the new state. `snapshot` is '' without a state. */
        readonly expected: number
        readonly snapshot: BlobHash | ''
        /** The archive of the stack's program under the new id; '' without one. */
        readonly program: BlobHash | ''
        readonly at: EpochMs
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
      if (readTextColumn(sourceRow, 'current') !== '' || hasWaitingRequest(database, id))
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
      if (snapshot !== '')
        database.run(
          'INSERT INTO snapshot (stack, version, blob) VALUES (?, ?, ?)',
          to,
          version,
          snapshot,
        )
      recordRename(database, to, { number, version, message: `was ${id}`, at: args.at })
      return 'renamed'
    },
  ),
}

/** Reports whether a request of the stack has not ended. */
function hasWaitingRequest(database: Database, id: StackId): boolean {
  return (
    database.get("SELECT 1 FROM request WHERE stack = ? AND ended = '' LIMIT 1", id) !== undefined
  )
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
}

/** Records the rename in the history, as a deployment that began and ended at the same time. */
function recordRename(
  database: Database,
  stack: StackId,
  entry: {
    readonly number: number
    readonly version: number
    readonly message: string
    readonly at: EpochMs
  },
): void {
  const { number, version, message, at } = entry
  const begin: HistoryRecord = {
    deployment: deploymentIdOf(stack, number),
    command: 'stack rename',
    message,
    startedAt: at,
  }
  const end = { endedAt: at, result: 'succeeded', changes: {}, version }
  database.run(
    'INSERT INTO history (stack, number, begun, ended) VALUES (?, ?, ?, ?)',
    stack,
    number,
    JSON.stringify(begin),
    JSON.stringify(end),
  )
}
