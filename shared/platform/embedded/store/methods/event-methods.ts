import type { EventLines } from '../../../../ports/records.ts'
import type { DeploymentId } from '../../../../records/ids.ts'
import { readIntegerColumn, readTextColumn } from '../database.ts'
import { cutPage } from './log-methods.ts'
import { defineRead, defineWrite } from './method.ts'
import { requireReadableFormat } from '../../../records/record-layouts.ts'

/**
 * Methods of event lines. Each line is stored once per deployment, writer and number. Lines are
 * read in the order in which they were appended.
 */
export const eventMethods = {
  'events.append': defineWrite(
    (
      database,
      args: {
        readonly deployment: DeploymentId
        readonly writer: string
        readonly first: number
        readonly events: readonly string[]
      },
    ): number =>
      // SQLite requires WHERE between a SELECT and ON CONFLICT.
      database.run(
        `INSERT INTO event (deployment, writer, number, line)
         SELECT ?, ?, CAST(? AS INTEGER) + key, value FROM json_each(?) WHERE true
         ON CONFLICT DO NOTHING`,
        args.deployment,
        args.writer,
        args.first,
        JSON.stringify(args.events),
      ),
  ),
  'events.read': defineRead(
    (
      database,
      args: { readonly deployment: DeploymentId; readonly cursor: number; readonly limit: number },
    ): EventLines => {
      const rows = database.all(
        `SELECT deployment, position, line, format FROM event WHERE deployment = ? AND position > ?
         ORDER BY position LIMIT ?`,
        args.deployment,
        args.cursor,
        args.limit,
      )
      const { texts: events, more } = cutPage(
        rows.map(row => readTextColumn(requireReadableFormat('event', row), 'line')),
      )
      const lastRow = rows[events.length - 1]
      return {
        events,
        cursor: lastRow === undefined ? args.cursor : readIntegerColumn(lastRow, 'position'),
        hasMore: more || rows.length === args.limit,
      }
    },
  ),
}
