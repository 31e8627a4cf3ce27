import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import {
  damaged,
  forms,
  type Keys,
  parseRecordJson,
  readable,
  type RecordKind,
} from '../../records/record-forms.ts'
import { type Item, itemOf, number, text } from './item.ts'
import type { Table } from './table.ts'

/** What is kept beside a record of the journal: its format, and when it expires. */
export function formOf(kind: RecordKind, { clock }: Pick<Table, 'clock'>): Item {
  const seconds = Math.ceil((clock.now() + limits.journalExpiresMs) / 1000)
  return itemOf({ format: forms[kind].format, expires: seconds })
}

/** The format of a kind, as the value of a condition. */
export const formatOf = (kind: RecordKind) => ({ format: { N: String(forms[kind].format) } })

/** An item that was read. Throws RECORD_TOO_NEW. */
export function readableItem(kind: RecordKind, keys: Keys, item: Item): Item {
  readable(kind, { ...keys, format: number(item, 'format') })
  return item
}

/** JSON in an attribute. Throws RECORD_DAMAGED, also when there is none. */
export function jsonIn<T>(
  about: { readonly kind: RecordKind; readonly keys: Keys },
  item: Item,
  name: string,
  isShape: (value: unknown) => value is T,
): T {
  if (item[name]?.S === undefined) throw damaged(about.kind, about.keys, `it has no ${name}`)
  return parseRecordJson(about, text(item, name), isShape)
}
