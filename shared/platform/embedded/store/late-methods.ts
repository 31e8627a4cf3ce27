import type { StackId } from '../../../records/ids.ts'
import { text } from './database.ts'
import { read, write } from './method.ts'
import { readable } from './record-forms.ts'

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
        .all('SELECT * FROM late WHERE stack = ? ORDER BY position LIMIT ?', args.id, args.limit)
        .map(row => text(readable('late', row), 'item')),
  ),
  'late.remove': write(
    (database, args: { readonly id: StackId; readonly keys: readonly string[] }): number =>
      database.run(
        'DELETE FROM late WHERE stack = ? AND key IN (SELECT value FROM json_each(?))',
        args.id,
        JSON.stringify(args.keys),
      ),
  ),
}
