import type { RequestEnd } from '../../../records/stack-request.ts'
import type { StackId } from '../../../records/ids.ts'
import { catalogKeys as keys } from './record-keys.ts'
import { createEndParts } from './requests.ts'
import { readText } from './table/item.ts'
import { getItem, type Table } from './table/table.ts'
import type { TransactionPart } from './table/transaction.ts'

/**
 * Returns the writes that end the request for a rename. Returns undefined when the request has
 * already ended, because it was withdrawn.
 */
export async function createRenameEndParts(
  catalogTable: Table,
  { id, newId, key }: { readonly id: StackId; readonly newId: StackId; readonly key: string },
): Promise<readonly TransactionPart[] | undefined> {
  const item = await getItem(catalogTable, keys.request(id, key))
  if (item === undefined || readText(item, 'ended') !== '') return undefined
  const end: RequestEnd = { kind: 'renamed', to: newId }
  return createEndParts(item, { stack: id, key, end: JSON.stringify(end) })
}
