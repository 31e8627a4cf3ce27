import { previewIdOf, type StackId } from '../../../records/ids.ts'
import { type Database, integer, text } from './database.ts'
import { read, write, writes } from './method.ts'
import { forms, readable } from '../../records/record-forms.ts'

/** A request and its end, as JSON; '' while it has none. */
export interface StoredRequest {
  readonly key: string
  readonly request: string
  readonly end: string
}

/** The queues of stacks. */
export const requestMethods = {
  'requests.put': write(
    (
      database,
      args: {
        readonly stack: StackId
        readonly key: string
        readonly at: number
        readonly request: string
      },
    ): boolean => {
      const { stack, key, at, request } = args
      const added = database.run(
        `INSERT INTO request (stack, key, at, request) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        stack,
        key,
        at,
        request,
      )
      // What put it before and heard nothing asks again with the very same.
      return added === 1 || storedOf(database, stack, key)?.request === request
    },
  ),
  'requests.waiting': read(
    (
      database,
      args: { readonly stack: StackId; readonly limit: number },
    ): readonly StoredRequest[] =>
      database
        .all(
          `SELECT * FROM request WHERE stack = ? AND ended = '' ORDER BY position LIMIT ?`,
          args.stack,
          args.limit,
        )
        .map(storedIn),
  ),
  'requests.find': read(
    (database, args: { readonly stack: StackId; readonly key: string }): StoredRequest | null =>
      storedOf(database, args.stack, args.key) ?? null,
  ),
  'requests.end': write(
    (
      database,
      args: { readonly stack: StackId; readonly key: string; readonly end: string },
    ): boolean => {
      database.run(
        `UPDATE request SET ended = ? WHERE stack = ? AND key = ? AND ended = ''`,
        args.end,
        args.stack,
        args.key,
      )
      return storedOf(database, args.stack, args.key) !== undefined
    },
  ),
  /** One that cannot be read may not be removed either, and must not keep the others. */
  'requests.forget': writes(
    (database, args: { readonly before: number; readonly limit: number }): number => {
      const old = database.all(
        `SELECT position, stack, key FROM request WHERE ended != '' AND at < ?
           AND format <= ${forms.request.format} AND json_valid(request)
         ORDER BY position LIMIT ?`,
        args.before,
        args.limit,
      )
      for (const row of old) {
        const preview = previewIdOf(text(row, 'stack') as StackId, text(row, 'key'))
        database.run('DELETE FROM event WHERE deployment = ?', preview)
        database.run('DELETE FROM request WHERE position = ?', integer(row, 'position'))
      }
      return old.length
    },
  ),
  'requests.putProgram': write(
    (database, args: { readonly stack: StackId; readonly archive: string }): number =>
      database.run(
        `INSERT INTO program (stack, archive) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET archive = excluded.archive`,
        args.stack,
        args.archive,
      ),
  ),
  'requests.program': read((database, args: { readonly stack: StackId }): string | null => {
    const row = database.get('SELECT * FROM program WHERE stack = ?', args.stack)
    return row === undefined ? null : text(row, 'archive')
  }),
}

function storedOf(database: Database, stack: StackId, key: string): StoredRequest | undefined {
  const row = database.get('SELECT * FROM request WHERE stack = ? AND key = ?', stack, key)
  return row === undefined ? undefined : storedIn(row)
}

function storedIn(row: Parameters<typeof text>[0]): StoredRequest {
  const checked = readable('request', row)
  return {
    key: text(checked, 'key'),
    request: text(checked, 'request'),
    end: text(checked, 'ended'),
  }
}
