import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import {
  createDamagedError,
  recordLayouts,
  type RecordKeys,
  parseRecordJson,
  requireReadableFormat,
  type RecordKind,
} from '../../records/record-layouts.ts'
import { type Item, toItem, readNumber, readText } from './table/item.ts'
import type { Table } from './table/table.ts'

/** Returns the common attributes of a journal record: its format and its expiry. */
export function recordAttributesOf(kind: RecordKind, { clock }: Pick<Table, 'clock'>): Item {
  const expirySeconds = Math.ceil((clock.now() + limits.journalExpiresMs) / 1000)
  return toItem({ format: recordLayouts[kind].format, expires: expirySeconds })
}

/**
 * Returns the format of a record kind, as an attribute of an item. The attribute is also the value
 * of `:format` in `readableCondition`.
 */
export const formatAttributeOf = (kind: RecordKind) => ({
  format: { N: String(recordLayouts[kind].format) },
})

/** Throws RECORD_TOO_NEW if this version cannot read the format of an item. */
export function requireReadableItem(kind: RecordKind, keys: RecordKeys, item: Item): void {
  requireReadableFormat(kind, { ...keys, format: readNumber(item, 'format') })
}

/**
 * Parses the JSON of an attribute. Throws RECORD_DAMAGED if the attribute is absent or malformed.
 */
export function parseJsonAttribute<T>(
  record: { readonly kind: RecordKind; readonly keys: RecordKeys },
  item: Item,
  name: string,
  hasShape: (value: unknown) => value is T,
): T {
  if (item[name]?.S === undefined)
    throw createDamagedError(record.kind, record.keys, `the attribute ${name} is missing`)
  return parseRecordJson(record, readText(item, name), hasShape)
}
