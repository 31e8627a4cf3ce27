import type { StackId } from '../../../records/ids.ts'
import { text } from './database.ts'
import { read, write } from './method.ts'
import { readable } from '../../records/record-forms.ts'

/** The inboxes of stacks. */
export const lateMethods = {
  'late.put': write(
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
  'late.list': read(
    (database, args: { readonly id: StackId; readonly limit: number }): readonly string[] =>
      database
        .all(
          'SELECT * FROM late WHERE stack = ? AND taken = 0 ORDER BY position LIMIT ?',
          args.id,
          args.limit,
        )
        .map(row => text(readable('late', row), 'item')),
  ),
  /** The key stays: who puts an item late may do so after it was taken from elsewhere. */
  'late.remove': write(
    (database, args: { readonly id: StackId; readonly keys: readonly string[] }): number =>
      database.run(
        `INSERT INTO late (stack, key, item, taken) SELECT ?, value, 'null', 1 FROM json_each(?)
           WHERE true ON CONFLICT DO UPDATE SET item = 'null', taken = 1`,
        args.id,
        JSON.stringify(args.keys),
      ),
  ),
}
