import { limits } from '../../../../config/limits.ts'
import type { ChainMessage, Delivery } from '../../../../ports/queue.ts'
import type { DeploymentId } from '../../../../records/ids.ts'
import type { Pool } from '../../../../records/pool.ts'
import { type Database, type Row, readIntegerColumn, readTextColumn } from '../database.ts'
import { defineVolatile } from './method.ts'

const nowMsExpression = "(unixepoch('subsec') * 1000)"
const visibleCondition = `visible_at <= ${nowMsExpression}`

/**
 * Methods of the chain queue. Its table is temporary, so no message waits for a disk. After the
 * death of the store's owner, the sweep sends lost messages again (I4). As with SQS, delivery is at
 * least once and without order. A delivered message is invisible until its timeout, and becomes a
 * dead letter after 5 deliveries.
 */
export const chainMethods = {
  'chains.send': defineVolatile(
    (database, args: { readonly messages: readonly ChainMessage[] }): number =>
      database.run(
        `INSERT INTO chain (deployment, pool, message, sent_at, visible_at)
         SELECT value ->> '$.deployment', coalesce(value ->> '$.pool', 'short'),
           json_remove(value, '$.delayMs'), ${nowMsExpression},
           CASE WHEN value ->> '$.delayMs' > 0
             THEN ${nowMsExpression} + (value ->> '$.delayMs') ELSE 0 END
         FROM json_each(?)`,
        JSON.stringify(args.messages),
      ),
  ),

  /**
   * `receipt`: a unique text of the caller, which begins with `<executor>/`. The executor is empty
   * without `operationsMax`. The receipt of each delivery consists of this text and the position of
   * the message.
   */
  'chains.take': defineVolatile(
    (
      database,
      args: {
        readonly deployment: DeploymentId | null
        readonly pool: Pool | null
        readonly max: number
        readonly visibilityMs: number
        readonly receipt: string
        /** The limit of operations in delivery. null: no limit. */
        readonly operationsMax: number | null
      },
    ): readonly Delivery[] => {
      // Both statements use the same time. Otherwise a message that becomes visible between them
      // would get a sixth delivery.
      const nowMs = readNowMs(database)
      database.run(
        `UPDATE chain SET is_dead = 1
         WHERE is_dead = 0 AND receipt IS NOT NULL AND deliveries >= ? AND visible_at <= ?`,
        limits.deliveriesMax,
        nowMs,
      )
      const visibleRows = database.all(
        `SELECT position, json_array_length(message, '$.operations') AS size FROM chain
         WHERE is_dead = 0 AND visible_at <= ?4 AND (?1 IS NULL OR deployment = ?1)
           AND (?2 IS NULL OR pool = ?2)
         ORDER BY position LIMIT ?3`,
        args.deployment,
        args.pool,
        args.max,
        nowMs,
      )
      const { operationsMax } = args
      const selectedRows =
        operationsMax === null || visibleRows.length === 0
          ? visibleRows
          : selectWithinLimit(
              visibleRows,
              operationsMax,
              countDeliveredOperations(database, args.deployment),
            )
      if (selectedRows.length === 0) return []
      return database
        .all(
          `UPDATE chain SET deliveries = deliveries + 1, receipt = ?1 || ' ' || position,
             visible_at = ${nowMsExpression} + ?2
           WHERE position IN (SELECT value FROM json_each(?3))
           RETURNING message, receipt, deliveries, sent_at`,
          args.receipt,
          args.visibilityMs,
          JSON.stringify(selectedRows.map(row => readIntegerColumn(row, 'position'))),
        )
        .map(row => ({
          message: parseMessage(row),
          receipt: readTextColumn(row, 'receipt'),
          deliveries: readIntegerColumn(row, 'deliveries'),
          sentAt: Number(row['sent_at']),
        }))
    },
  ),

  'chains.remove': defineVolatile((database, args: { readonly receipt: string }): number =>
    database.run('DELETE FROM chain WHERE receipt = ?', args.receipt),
  ),

  'chains.extend': defineVolatile(
    (database, args: { readonly receipt: string; readonly ms: number }): boolean =>
      database.run(
        `UPDATE chain SET visible_at = ${nowMsExpression} + ? WHERE receipt = ? AND NOT (${visibleCondition})`,
        args.ms,
        args.receipt,
      ) === 1,
  ),

  'chains.redrive': defineVolatile(
    (database, args: { readonly deployment: DeploymentId }): number =>
      database.run(
        `UPDATE chain
       SET is_dead = 0, deliveries = 0, sent_at = ${nowMsExpression}, visible_at = 0
       WHERE is_dead = 1 AND deployment = ?`,
        args.deployment,
      ),
  ),

  /**
   * Returns the age in ms of the oldest message that no receiver has. The age begins when the
   * message became visible. Returns 0 without such a message.
   */
  'chains.oldest': defineVolatile((database, _args: Readonly<Record<string, never>>): number => {
    const row = database.get(
      `SELECT max(${nowMsExpression} - max(sent_at, visible_at)) AS age FROM chain
       WHERE is_dead = 0 AND ${visibleCondition}`,
    )
    return Math.max(0, Number(row?.['age'] ?? 0))
  }),

  'chains.dead': defineVolatile(
    (database, args: { readonly deployment: DeploymentId }): readonly ChainMessage[] =>
      database
        .all('SELECT message FROM chain WHERE is_dead = 1 AND deployment = ?', args.deployment)
        .map(parseMessage),
  ),
}

/** Returns the time of the database in ms since 1970. */
function readNowMs(database: Database): number {
  const row = database.get(`SELECT ${nowMsExpression} AS now`)
  return row === undefined ? 0 : Number(row['now'])
}

/**
 * Returns how many operations of a deployment are in delivery, without those of retired executors.
 */
function countDeliveredOperations(database: Database, deployment: DeploymentId | null): number {
  const row = database.get(
    `SELECT sum(json_array_length(message, '$.operations')) AS operations FROM chain
     WHERE is_dead = 0 AND receipt IS NOT NULL AND visible_at > ${nowMsExpression}
       AND deployment = ?1
       AND substr(receipt, 1, instr(receipt, '/') - 1) NOT IN (
         SELECT executor FROM lease WHERE deployment = ?1 AND retired > 0)`,
    deployment,
  )
  return row === undefined || row['operations'] === null ? 0 : readIntegerColumn(row, 'operations')
}

/**
 * Returns the first rows that keep the operations in delivery within the limit. If no operation is
 * in delivery, returns at least one row.
 */
function selectWithinLimit(
  visibleRows: readonly Row[],
  operationsMax: number,
  deliveredOperations: number,
): readonly Row[] {
  const selectedRows: Row[] = []
  let operationCount = deliveredOperations
  for (const row of visibleRows) {
    operationCount += readIntegerColumn(row, 'size')
    if (operationCount > operationsMax && (deliveredOperations > 0 || selectedRows.length > 0))
      break
    selectedRows.push(row)
  }
  return selectedRows
}

function parseMessage(row: Row): ChainMessage {
  return JSON.parse(readTextColumn(row, 'message')) as ChainMessage
}
