import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { CatalogPort, StackRecord, UnreadableStack } from '../../../ports/catalog.ts'
import type { StackId } from '../../../records/ids.ts'
import { deleteRange, getItems, putItems } from './table/batch-items.ts'
import { andConditions, isReadable, isThere } from './table/expressions.ts'
import { createInbox } from './inbox.ts'
import { toItem, readText } from './table/item.ts'
import { catalogKeys as keys, journalKeys } from './record-keys.ts'
import { type CatalogDeps, createPublishing } from './stack-transitions.ts'
import {
  parseHistoryItem,
  type KeptStack,
  parseStackItem,
  parseVersionItem,
} from './stack-record.ts'
import { formatAttributeOf } from './record-format.ts'
import { deleteItem, getItem, queryItems, type Table, updateItem } from './table/table.ts'

/** Dependencies of the catalog. Inboxes of stacks are in the journal table. */
type CatalogAndInboxDeps = CatalogDeps & { readonly journalTable: Table }

/**
 * Creates the catalog of stacks. The start, publication and end of a deployment each write two
 * items in one transaction, so each happens once per deployment. Each creation carries a token that
 * identifies a repetition of its request.
 */
export function createCatalog(deps: CatalogAndInboxDeps): CatalogPort {
  const { catalogTable, journalTable } = deps
  return {
    createStack: async (id, at) => {
      const before = await getItem(catalogTable, keys.stack(id))
      if (parseStackItem(id, before) !== undefined) return false
      // An interrupted removal may have left records, which do not belong to the new stack.
      if (before !== undefined) await removeBelongings(deps, id)
      await putItems(catalogTable, [{ key: keys.listed(id), item: {} }])
      return create(deps, id, at)
    },
    getStack: async id => {
      const stack = parseStackItem(id, await getItem(catalogTable, keys.stack(id)))
      return stack === undefined ? undefined : toStackRecord(stack)
    },
    listStacks: async project => {
      const { pk } = keys.listed('')
      const beginsWith = `organization/${project ?? ''}${project === undefined ? '' : '/'}`
      const listed = await queryItems(catalogTable, { pk, beginsWith, limit: limits.listedMax })
      const ids = listed.map(item => readText(item, 'sk') as StackId)
      const items = await getItems(
        catalogTable,
        ids.map(id => keys.stack(id)),
      )
      const byKey = new Map(items.map(item => [readText(item, 'pk'), item]))
      const stacks: StackRecord[] = []
      const unreadable: UnreadableStack[] = []
      for (const id of ids) {
        try {
          const stack = parseStackItem(id, byKey.get(keys.stack(id).pk))
          if (stack !== undefined) stacks.push(toStackRecord(stack))
        } catch (thrown) {
          unreadable.push({ id, why: thrown instanceof Error ? thrown : new Error(String(thrown)) })
        }
      }
      return { stacks, unreadable }
    },
    removeStack: id => remove(deps, id),
    ...createPublishing(deps),
    ...createInbox(journalTable),
    listHistory: async (id, limit, before) => {
      const { pk, sk: atMost } = keys.history(id, Math.max(0, (before ?? 0) - 1))
      const bound = before === undefined ? {} : { atMost }
      const items = await queryItems(catalogTable, { pk, isBackwards: true, limit, ...bound })
      return items.map(item => parseHistoryItem(id, item))
    },
    listVersions: async (id, limit, before) => {
      const { pk, sk: atMost } = keys.version(id, Math.max(0, (before ?? 0) - 1))
      const bound = before === undefined ? {} : { atMost }
      const items = await queryItems(catalogTable, { pk, isBackwards: true, limit, ...bound })
      return items.map(item => parseVersionItem(id, item))
    },
  }
}

/** Returns the record of a stack as callers see it. */
function toStackRecord(stack: KeptStack): StackRecord {
  const { id, createdAt, current, version, snapshot, deployments } = stack
  return { id, createdAt, current, version, snapshot, deployments }
}

/** Creates the record of a stack, over the one that its removal left. */
async function create(
  { catalogTable, random }: CatalogDeps,
  id: StackId,
  at: number,
): Promise<boolean> {
  const token = random.uuid()
  const fresh = ['#createdAt = :at', '#token = :token', '#removed = :no', '#format = :format']
  const empty = [
    '#current = :empty',
    '#startToken = :empty',
    '#snapshot = :empty',
    '#version = :zero',
  ]
  const written = await updateItem(catalogTable, {
    key: keys.stack(id),
    set: `SET ${[...fresh, ...empty, '#deployments = if_not_exists(#deployments, :zero)'].join(', ')}`,
    condition: andConditions(isReadable, 'attribute_not_exists(#pk) OR #removed = :yes'),
    values: {
      ...toItem({ at, token, yes: true, no: false, empty: '', zero: 0 }),
      ...formatAttributeOf('stack'),
    },
  })
  return (
    written.isDone ||
    (written.existing !== undefined && readText(written.existing, 'token') === token)
  )
}

/**
 * Removes a stack, then its belongings. A later creation repeats the second part if it was
 * interrupted.
 */
async function remove(deps: CatalogAndInboxDeps, id: StackId): Promise<boolean> {
  const { catalogTable } = deps
  const item = await getItem(catalogTable, keys.stack(id))
  const stack = parseStackItem(id, item)
  if (stack === undefined) {
    if (item !== undefined) await removeBelongings(deps, id)
    return true
  }
  if (stack.current !== '') return false
  const written = await updateItem(catalogTable, {
    key: keys.stack(id),
    set: 'SET #removed = :yes, #version = :zero, #snapshot = :empty',
    condition: andConditions(isThere, andConditions(isReadable, '#current = :empty')),
    values: { ...toItem({ yes: true, zero: 0, empty: '' }), ...formatAttributeOf('stack') },
  })
  if (!written.isDone) return false
  await removeBelongings(deps, id)
  return true
}

/** Removes the belongings of a removed stack: history, versions, inbox and durations. */
async function removeBelongings(
  { catalogTable, journalTable }: CatalogAndInboxDeps,
  id: StackId,
): Promise<void> {
  await deleteItem(catalogTable, keys.listed(id))
  const partitions = [
    [catalogTable, keys.history(id, 0)],
    [catalogTable, keys.version(id, 0)],
    [journalTable, journalKeys.late(id, '')],
    [journalTable, journalKeys.slow(id, '')],
  ] as const
  for (const [table, { pk }] of partitions) {
    await deleteRange(table, { pk })
  }
}
