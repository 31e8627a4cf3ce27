import type { StackId } from '../../../records/ids.ts'
import { integer, text } from './database.ts'
import { read, write } from './method.ts'

/** How long slow operations of stacks took. */
export const slowMethods = {
  'slow.note': write(
    (database, args: { readonly id: StackId; readonly key: string; readonly ms: number }): number =>
      database.run(
        'INSERT INTO slow (stack, key, ms) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET ms = excluded.ms',
        args.id,
        args.key,
        Math.round(args.ms),
      ),
  ),
  'slow.list': read(
    (database, args: { readonly id: StackId }): readonly (readonly [string, number])[] =>
      database
        .all('SELECT key, ms FROM slow WHERE stack = ? LIMIT 1000', args.id)
        .map(row => [text(row, 'key'), integer(row, 'ms')]),
  ),
}
