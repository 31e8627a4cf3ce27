import { randomUUID } from 'node:crypto'
import type { BlobHash, DeploymentId, EpochMs } from '../../../records/ids.ts'
import { deploymentPartsOf } from '../../../records/ids.ts'
import type { CopiedWrite, CopyPart, UnsentPart } from '../../../records/journal-copy.ts'
import { type Database, type Row, readIntegerColumn, readTextColumn } from './database.ts'
import { controlMethods } from './methods/control-methods.ts'
import { endCopyMethod } from './methods/copy-methods.ts'
import { logMethods } from './methods/log-methods.ts'
import { operationMethods } from './methods/operation-methods.ts'
import type { StoreFailure, StoreReply, StoreRequest } from './store-message.ts'

/** The result of sending the parts of one deployment. */
export interface SendResult {
  readonly deployment: DeploymentId
  /** The number of the last part that is in the backend. */
  readonly sentThrough: number
  readonly failure?: StoreFailure
}

/** The writes of deployments that are copied to a backend. */
export interface CopiedWrites {
  /**
   * Adds the writes of a batch as unsent parts, and deletes the sent parts, in the open
   * transaction.
   */
  readonly addParts: (requests: readonly StoreRequest[], replies: readonly StoreReply[]) => void
  /**
   * Returns the unsent parts after a transaction, and forgets the sent parts that the transaction
   * deleted.
   */
  readonly listUnsent: () => readonly UnsentPart[]
  /**
   * Notes which parts the backend has. Returns the replies to the batch. A write whose deployment
   * has unsent parts gets the failure of their sending as its reply.
   */
  readonly applyResults: (
    batch: { readonly requests: readonly StoreRequest[]; readonly replies: readonly StoreReply[] },
    results: readonly SendResult[],
  ) => readonly StoreReply[]
}

/** The methods that write a record of a deployment's journal, or end its copy. */
export const copiedMethods: ReadonlySet<string> = new Set([
  ...Object.entries({ ...logMethods, ...operationMethods, ...controlMethods })
    .filter(([, { access }]) => access !== 'read')
    .map(([name]) => name),
  endCopyMethod,
])

/**
 * Creates the copied writes of a database. A copy begins with the control record of a stack's
 * current deployment. A deployment that began without a copy never gets one, because its earlier
 * records would be missing.
 */
export function createCopiedWrites(database: Database): CopiedWrites {
  removeOldCopies(database)
  // By deployment: the number of the last sent part, until the database has deleted the part.
  const sentThrough = new Map<string, number>()
  const addParts: CopiedWrites['addParts'] = (requests, replies) => {
    for (const [deployment, number] of sentThrough)
      database.run(
        'DELETE FROM journal_part WHERE deployment = ? AND number <= ?',
        ...[deployment, number],
      )
    const writes = new Map<string, CopiedWrite[]>()
    for (const [index, request] of requests.entries()) {
      const args = copiedArgsOf(request)
      const reply = replies[index]
      if (args === undefined || reply === undefined || 'failure' in reply) continue
      if (request.method === 'control.create') beginCopy(database, args.deployment)
      const deploymentWrites = writes.get(args.deployment) ?? []
      deploymentWrites.push([request.method, args])
      writes.set(args.deployment, deploymentWrites)
    }
    for (const [deployment, copied] of writes) addPart(database, deployment, { writes: copied })
  }
  return {
    addParts,
    listUnsent: () => {
      const parts = database
        .all(
          `SELECT journal_part.*, journal_copy.id FROM journal_part
           JOIN journal_copy USING (deployment) ORDER BY deployment, number`,
        )
        .map(parsePart)
      const isSent = ({ deployment, number }: UnsentPart): boolean =>
        number <= (sentThrough.get(deployment) ?? -1)
      // A failed transaction deletes no part. Sent parts that remain must not be sent again.
      const remaining = new Set<string>(parts.filter(isSent).map(({ deployment }) => deployment))
      const unsentParts = parts.filter(part => !isSent(part))
      for (const deployment of sentThrough.keys())
        if (!remaining.has(deployment)) sentThrough.delete(deployment)
      return unsentParts
    },
    applyResults: ({ requests, replies }, results) => {
      for (const result of results) sentThrough.set(result.deployment, result.sentThrough)
      const failures = new Map(results.map(({ deployment, failure }) => [deployment, failure]))
      return replies.map((reply, index) => {
        const args = requests[index] === undefined ? undefined : copiedArgsOf(requests[index])
        const failure = failures.get((args?.deployment ?? '') as DeploymentId)
        return failure === undefined || 'failure' in reply ? reply : { id: reply.id, failure }
      })
    },
  }
}

/** Returns the arguments of a copied write. Returns undefined for any other request. */
function copiedArgsOf({ method, args }: StoreRequest): CopiedWrite[1] | undefined {
  if (!copiedMethods.has(method)) return undefined
  return typeof args === 'object' && args !== null && 'deployment' in args
    ? (args as CopiedWrite[1])
    : undefined
}

/**
 * Begins the copy of a stack's current deployment, unless the deployment already has a copy or log
 * records.
 */
function beginCopy(database: Database, deployment: string): void {
  const { stack, number } = deploymentPartsOf(deployment as DeploymentId)
  const stackRow = database.get(
    `SELECT * FROM stack WHERE id = ?1 AND current = ?2
       AND NOT EXISTS (SELECT 1 FROM journal_copy WHERE deployment = ?2)
       AND NOT EXISTS (SELECT 1 FROM log WHERE deployment = ?2)`,
    ...[stack, deployment],
  )
  const historyRow = database.get(
    'SELECT begun FROM history WHERE stack = ? AND number = ?',
    ...[stack, number],
  )
  if (stackRow === undefined || historyRow === undefined) return
  database.run(
    'INSERT INTO journal_copy (deployment, id) VALUES (?, ?)',
    ...[deployment, randomUUID()],
  )
  addPart(database, deployment, {
    header: {
      format: 1,
      deployment: deployment as DeploymentId,
      stack: {
        createdAt: readIntegerColumn(stackRow, 'created_at') as EpochMs,
        version: readIntegerColumn(stackRow, 'version'),
        snapshot: readTextColumn(stackRow, 'snapshot') as BlobHash | '',
        deployments: readIntegerColumn(stackRow, 'deployments'),
      },
      begun: readTextColumn(historyRow, 'begun'),
    },
  })
}

/** Adds a part to a deployment's open copy. No part is added after the one with `copies.end`. */
function addPart(database: Database, deployment: string, part: CopyPart): void {
  const isLast = 'writes' in part && part.writes.some(([method]) => method === endCopyMethod)
  const row = database.get(
    `UPDATE journal_copy SET next = next + 1, is_ended = ?
     WHERE deployment = ? AND is_ended = 0 RETURNING next`,
    ...[isLast ? 1 : 0, deployment],
  )
  if (row === undefined) return
  database.run(
    'INSERT INTO journal_part (deployment, number, text) VALUES (?, ?, ?)',
    ...[deployment, readIntegerColumn(row, 'next') - 1, JSON.stringify(part)],
  )
}

/** Removes the copies of deployments that have ended. Their parts are of no use any more. */
function removeOldCopies(database: Database): void {
  const oldCondition = "deployment NOT IN (SELECT current FROM stack WHERE current <> '')"
  database.run(`DELETE FROM journal_part WHERE ${oldCondition}`)
  database.run(`DELETE FROM journal_copy WHERE ${oldCondition}`)
}

function parsePart(row: Row): UnsentPart {
  return {
    deployment: readTextColumn(row, 'deployment') as DeploymentId,
    copyId: readTextColumn(row, 'id'),
    number: readIntegerColumn(row, 'number'),
    text: readTextColumn(row, 'text'),
  }
}
