import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { DocumentKey, StoredDocument } from '../../../ports/documents.ts'
import type { RenameInput } from '../../../ports/stack-renames.ts'
import type { StackId } from '../../../records/ids.ts'
import { serializeDocument } from '../../records/document-text.ts'
import { movedValueOf } from '../../records/moved-document.ts'
import { parseDocumentItem } from './documents.ts'
import { catalogKeys as keys } from './record-keys.ts'
import { formatAttributeOf } from './record-format.ts'
import { absentCondition, joinConditions, readableCondition } from './table/expressions.ts'
import { readText, toItem } from './table/item.ts'
import { queryItems, type Table } from './table/table.ts'
import type { TransactionPart } from './table/transaction.ts'

/**
 * Returns the writes that move the documents of a stack to its new id, two for each document.
 * Returns undefined when a schedule has calls at an external scheduler, but no new name in
 * `placements`. Such a schedule was created after the rename was requested.
 */
export async function createDocumentParts(
  catalogTable: Table,
  rename: RenameInput & {
    readonly id: StackId
    readonly newId: StackId
    readonly token: string
  },
): Promise<readonly TransactionPart[] | undefined> {
  const { id, newId, token, placements = {} } = rename
  const parts: TransactionPart[] = []
  for (const document of await listStackDocuments(catalogTable, id)) {
    const value = withPlacement(
      { ...document, value: movedValueOf(document.key, document.value) },
      placements,
    )
    if (value === undefined) return undefined
    const newKey: DocumentKey = { ...document.key, scope: newId }
    parts.push(
      {
        kind: 'change',
        change: {
          key: keys.document(newKey),
          updateExpression:
            'SET #value = :value, #token = :token, #removed = :no, #format = :format ADD #version :one',
          condition: joinConditions(readableCondition, `${absentCondition} OR #removed = :yes`),
          values: {
            ...toItem({ value: serializeDocument(newKey, value), token, one: 1 }),
            ...toItem({ yes: true, no: false }),
            ...formatAttributeOf('document'),
          },
        },
      },
      {
        kind: 'change',
        change: {
          key: keys.document(document.key),
          updateExpression: 'SET #removed = :yes, #value = :null, #token = :empty',
          condition: joinConditions(readableCondition, '#version = :version AND #removed = :no'),
          values: {
            ...toItem({ version: document.version, yes: true, no: false, null: 'null', empty: '' }),
            ...formatAttributeOf('document'),
          },
        },
      },
    )
  }
  return parts
}

/** The kinds of the documents that move with their stack. */
const movedKinds = ['schedule', 'notification', 'delivery-history', 'stack-settings'] as const

async function listStackDocuments(
  catalogTable: Table,
  id: StackId,
): Promise<readonly StoredDocument[]> {
  const documents: StoredDocument[] = []
  for (const kind of movedKinds) {
    const { pk } = keys.document({ kind, scope: id, name: '' })
    // The items of removed documents stay, so a stack can have more items than documents.
    const range = { pk, beginsWith: `${id} `, limit: limits.listEntriesMax }
    const items = await queryItems(catalogTable, range)
    for (const item of items) {
      const name = readText(item, 'sk').slice(id.length + 1)
      const document = parseDocumentItem({ kind, scope: id, name }, item)
      if (document !== undefined) documents.push(document)
    }
  }
  return documents
}

/**
 * Returns the value of a document. The value of a schedule gets the schedule's new name at the
 * external scheduler. Returns undefined when that name is required but missing.
 */
function withPlacement(
  { key, value }: StoredDocument,
  placements: Readonly<Record<string, string>>,
): unknown {
  if (key.kind !== 'schedule' || typeof value !== 'object' || value === null) return value
  const placed = placements[key.name]
  if (placed !== undefined) return { ...value, placed }
  const hasCalls = 'placed' in value && (!('isPaused' in value) || value.isPaused !== true)
  return hasCalls ? undefined : value
}
