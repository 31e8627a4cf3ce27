import { limits } from '../../../config/limits.ts'
import type { ChainMessage, Delivery } from '../../../ports/queue.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import type { Pool } from '../../../records/pool.ts'
import { type Row, integer, text } from './database.ts'
import { passing } from './method.ts'

const nowMs = "(unixepoch('subsec') * 1000)"
const isVisible = `visible_at <= ${nowMs}`

/**
 * The queue of chains, in tables that are gone with the process that owns the store: no message is
 * ever waited for on a disk, and what is lost is sent again by the sweep (I4). As with SQS a
 * message comes at least once, in no promised order, is invisible while on loan, and is given up
 * after 5 deliveries.
 */
export const chainMethods = {
  'chains.send': passing((database, args: { readonly messages: readonly ChainMessage[] }): number =>
    database.run(
      `INSERT INTO chain (deployment, pool, message)
         SELECT value ->> '$.deployment', coalesce(value ->> '$.pool', 'short'), value
         FROM json_each(?)`,
      JSON.stringify(args.messages),
    ),
  ),

  /** `receipt`: a text of the caller's own; each delivery gets it with its number behind. */
  'chains.take': passing(
    (
      database,
      args: {
        readonly deployment: DeploymentId | null
        readonly pool: Pool | null
        readonly max: number
        readonly visibilityMs: number
        readonly receipt: string
      },
    ): readonly Delivery[] => {
      database.run(
        `UPDATE chain SET is_dead = 1 WHERE is_dead = 0 AND deliveries >= ? AND ${isVisible}`,
        limits.deliveriesMax,
      )
      return database
        .all(
          `UPDATE chain SET deliveries = deliveries + 1, receipt = ?1 || ' ' || position,
             visible_at = ${nowMs} + ?2
           WHERE position IN (
             SELECT position FROM chain
             WHERE is_dead = 0 AND ${isVisible} AND (?3 IS NULL OR deployment = ?3)
               AND (?5 IS NULL OR pool = ?5)
             ORDER BY position LIMIT ?4)
           RETURNING message, receipt, deliveries`,
          args.receipt,
          args.visibilityMs,
          args.deployment,
          args.max,
          args.pool,
        )
        .map(row => ({
          message: parseMessage(row),
          receipt: text(row, 'receipt'),
          deliveries: integer(row, 'deliveries'),
        }))
    },
  ),

  'chains.remove': passing((database, args: { readonly receipt: string }): number =>
    database.run('DELETE FROM chain WHERE receipt = ?', args.receipt),
  ),

  'chains.extend': passing(
    (database, args: { readonly receipt: string; readonly ms: number }): boolean =>
      database.run(
        `UPDATE chain SET visible_at = ${nowMs} + ? WHERE receipt = ? AND NOT (${isVisible})`,
        args.ms,
        args.receipt,
      ) === 1,
  ),

  'chains.redrive': passing((database, args: { readonly deployment: DeploymentId }): number =>
    database.run(
      `UPDATE chain SET is_dead = 0, deliveries = 0, visible_at = 0
       WHERE is_dead = 1 AND deployment = ?`,
      args.deployment,
    ),
  ),

  'chains.dead': passing(
    (database, args: { readonly deployment: DeploymentId }): readonly ChainMessage[] =>
      database
        .all('SELECT message FROM chain WHERE is_dead = 1 AND deployment = ?', args.deployment)
        .map(parseMessage),
  ),
}

function parseMessage(row: Row): ChainMessage {
  return JSON.parse(text(row, 'message')) as ChainMessage
}
