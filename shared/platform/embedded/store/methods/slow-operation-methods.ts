import type { StackId } from '../../../../records/ids.ts'
import { readIntegerColumn, readTextColumn } from '../database.ts'
import { defineRead, defineWrite } from './method.ts'

/** Methods for the durations of slow operations. `key` names the kind of the operations. */
export const slowOperationMethods = {
  'slow.note': defineWrite(
    (database, args: { readonly id: StackId; readonly key: string; readonly ms: number }): number =>
      database.run(
        'INSERT INTO slow (stack, key, ms) VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET ms = excluded.ms',
        args.id,
        args.key,
        Math.round(args.ms),
      ),
  ),
  'slow.list': defineRead(
    (database, args: { readonly id: StackId }): readonly (readonly [string, number])[] =>
      database
        .all('SELECT key, ms FROM slow WHERE stack = ? LIMIT 1000', args.id)
        .map(row => [readTextColumn(row, 'key'), readIntegerColumn(row, 'ms')]),
  ),
}
