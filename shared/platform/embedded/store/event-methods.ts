import type { DeploymentId } from '../../../records/ids.ts'
import { integer, text } from './database.ts'
import { pageOf } from './log-methods.ts'
import { read, write } from './method.ts'
import { readable } from '../../records/record-forms.ts'

/** Lines of events, each once per writer and number, in the order of their arrival. */
export const eventMethods = {
  'events.append': write(
    (
      database,
      args: {
        readonly deployment: DeploymentId
        readonly writer: string
        readonly first: number
        readonly events: readonly string[]
      },
    ): number =>
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
  'events.read': read(
    (
      database,
      args: { readonly deployment: DeploymentId; readonly cursor: number; readonly limit: number },
    ): { readonly events: readonly string[]; readonly cursor: number } => {
      const rows = database.all(
        `SELECT deployment, position, line, format FROM event WHERE deployment = ? AND position > ?
         ORDER BY position LIMIT ?`,
        args.deployment,
        args.cursor,
        args.limit,
      )
      const events = pageOf(rows.map(row => text(readable('event', row), 'line'))).texts
      const last = rows[events.length - 1]
      return { events, cursor: last === undefined ? args.cursor : integer(last, 'position') }
    },
  ),
}
