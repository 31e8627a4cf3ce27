import type { StackIdentity, StackRecord } from '../../../../ports/catalog.ts'
import type { StackId } from '../../../../records/ids.ts'
import { explainRefusedRemoval } from '../../../records/refused-removal.ts'
import type { Database, Row } from '../database.ts'
import { parseHistory, parseStack, parseVersion } from './catalog-rows.ts'

/** The arguments of a removal. `expected`: the values that the stack must have. */
export interface StackRemoval {
  readonly id: StackId
  readonly expected?: StackIdentity | undefined
}

/**
 * Removes a stack with its records. Its row keeps the number of deployments. Returns false while a
 * deployment is current, and for a stack with other values than `expected`. Throws RECORD_DAMAGED
 * and RECORD_TOO_NEW, and then removes nothing.
 */
export function removeStackRows(
  database: Database,
  stackRow: Row,
  expected: StackIdentity | undefined,
): boolean {
  const { id, current, deployments, createdAt } = readStackRecords(database, stackRow)
  if (current !== '') return false
  if (expected !== undefined && expected.deployments !== deployments) return false
  if (expected !== undefined && expected.createdAt !== createdAt) return false
  database.run("UPDATE stack SET removed = 1, version = 0, snapshot = '' WHERE id = ?", id)
  for (const table of ['history', 'snapshot', 'late', 'slow'])
    database.run(`DELETE FROM ${table} WHERE stack = ?`, id)
  return true
}

/** Reads all records of a stack in the catalog. Throws like `removeStackRows`. */
function readStackRecords(database: Database, stackRow: Row): StackRecord {
  try {
    const stack = parseStack(stackRow)
    database.all('SELECT * FROM history WHERE stack = ?', stack.id).forEach(parseHistory)
    database.all('SELECT * FROM snapshot WHERE stack = ?', stack.id).forEach(parseVersion)
    return stack
  } catch (thrown) {
    throw explainRefusedRemoval(thrown)
  }
}
