import { requireReadableFormat } from '../../../records/record-layouts.ts'
import { readIntegerColumn, readTextColumn } from '../database.ts'
import { defineRead, defineWrite } from './method.ts'

/** An audit entry as JSON, with its position. */
export interface StoredAudit {
  readonly position: number
  readonly entry: string
}

/** Methods of the audit log. */
export const auditMethods = {
  'audit.append': defineWrite(
    (database, args: { readonly id: string; readonly entry: string }): number =>
      database.run(
        'INSERT INTO audit (id, entry) VALUES (?, ?) ON CONFLICT DO NOTHING',
        args.id,
        args.entry,
      ),
  ),
  'audit.has': defineRead(
    (database, { id }: { readonly id: string }): boolean =>
      database.all('SELECT 1 FROM audit WHERE id = ?', id).length > 0,
  ),
  /** Returns entries, newest first. With `before` 0, returns the newest entries of the log. */
  'audit.read': defineRead(
    (database, args: { readonly before: number; readonly limit: number }): readonly StoredAudit[] =>
      database
        .all(
          `SELECT * FROM audit WHERE ?1 = 0 OR position < ?1 ORDER BY position DESC LIMIT ?2`,
          args.before,
          args.limit,
        )
        .map(row => {
          const readableRow = requireReadableFormat('audit', row)
          return {
            position: readIntegerColumn(readableRow, 'position'),
            entry: readTextColumn(readableRow, 'entry'),
          }
        }),
  ),
}
