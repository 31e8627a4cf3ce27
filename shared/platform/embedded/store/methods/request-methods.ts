import { previewIdOf, type StackId } from '../../../../records/ids.ts'
import { type Database, readIntegerColumn, readTextColumn } from '../database.ts'
import { defineRead, defineWrite, defineMultiWrite } from './method.ts'
import { recordLayouts, requireReadableFormat } from '../../../records/record-layouts.ts'

/** A request and its end, as JSON. `end` is '' until the request has ended. */
export interface StoredRequest {
  readonly key: string
  readonly request: string
  readonly end: string
}

/** Methods of the request queues. */
export const requestMethods = {
  'requests.put': defineWrite(
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
      const addedCount = database.run(
        `INSERT INTO request (stack, key, at, request) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        stack,
        key,
        at,
        request,
      )
      // After a lost response, a caller repeats exactly the same request, and must succeed.
      return addedCount === 1 || findRequest(database, stack, key)?.request === request
    },
  ),
  'requests.waiting': defineRead(
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
        .map(parseStoredRow),
  ),
  'requests.find': defineRead(
    (database, args: { readonly stack: StackId; readonly key: string }): StoredRequest | null =>
      findRequest(database, args.stack, args.key) ?? null,
  ),
  'requests.end': defineWrite(
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
      return findRequest(database, args.stack, args.key) !== undefined
    },
  ),
  /**
   * Removes ended requests and the events of their previews. An unreadable request is skipped: it
   * cannot be removed, and must not block the removal of others.
   */
  'requests.forget': defineMultiWrite(
    (database, args: { readonly before: number; readonly limit: number }): number => {
      const oldRows = database.all(
        `SELECT position, stack, key FROM request WHERE ended != '' AND at < ?
           AND format <= ${recordLayouts.request.format} AND json_valid(request)
         ORDER BY position LIMIT ?`,
        args.before,
        args.limit,
      )
      for (const row of oldRows) {
        const preview = previewIdOf(
          readTextColumn(row, 'stack') as StackId,
          readTextColumn(row, 'key'),
        )
        database.run('DELETE FROM event WHERE deployment = ?', preview)
        database.run('DELETE FROM request WHERE position = ?', readIntegerColumn(row, 'position'))
      }
      return oldRows.length
    },
  ),
  'requests.putProgram': defineWrite(
    (database, args: { readonly stack: StackId; readonly archive: string }): number =>
      database.run(
        `INSERT INTO program (stack, archive) VALUES (?, ?)
         ON CONFLICT DO UPDATE SET archive = excluded.archive`,
        args.stack,
        args.archive,
      ),
  ),
  'requests.program': defineRead((database, args: { readonly stack: StackId }): string | null => {
    const row = database.get('SELECT * FROM program WHERE stack = ?', args.stack)
    return row === undefined ? null : readTextColumn(row, 'archive')
  }),
}

function findRequest(database: Database, stack: StackId, key: string): StoredRequest | undefined {
  const row = database.get('SELECT * FROM request WHERE stack = ? AND key = ?', stack, key)
  return row === undefined ? undefined : parseStoredRow(row)
}

function parseStoredRow(row: Parameters<typeof readTextColumn>[0]): StoredRequest {
  const readableRow = requireReadableFormat('request', row)
  return {
    key: readTextColumn(readableRow, 'key'),
    request: readTextColumn(readableRow, 'request'),
    end: readTextColumn(readableRow, 'ended'),
  }
}
