import type { StackId } from '../../../../records/ids.ts'
import { readTextColumn } from '../database.ts'
import { defineRead, defineWrite } from './method.ts'
import { requireReadableFormat } from '../../../records/record-layouts.ts'

/** Methods of the stacks' inboxes of late outcomes. */
export const inboxMethods = {
  'late.put': defineWrite(
    (
      database,
      args: { readonly id: StackId; readonly key: string; readonly item: string },
    ): number =>
      database.run(
        'INSERT INTO late (stack, key, item) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
        args.id,
        args.key,
        args.item,
      ),
  ),
  'late.list': defineRead(
    (database, args: { readonly id: StackId; readonly limit: number }): readonly string[] =>
      database
        .all(
          'SELECT * FROM late WHERE stack = ? AND taken = 0 ORDER BY position LIMIT ?',
          args.id,
          args.limit,
        )
        .map(row => readTextColumn(requireReadableFormat('late', row), 'item')),
  ),
  /**
   * Marks outcomes as taken, and keeps their keys. An executor may put an outcome into the inbox
   * after a deployment already took the same outcome from another record. Such a put has no effect.
   */
  'late.remove': defineWrite(
    (database, args: { readonly id: StackId; readonly keys: readonly string[] }): number =>
      database.run(
        `INSERT INTO late (stack, key, item, taken) SELECT ?, value, 'null', 1 FROM json_each(?)
           WHERE true ON CONFLICT DO UPDATE SET item = 'null', taken = 1`,
        args.id,
        JSON.stringify(args.keys),
      ),
  ),
}
