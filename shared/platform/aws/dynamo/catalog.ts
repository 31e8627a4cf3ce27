import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { CatalogPort, StackRecord, UnreadableStack } from '../../../ports/catalog.ts'
import type { StackId } from '../../../records/ids.ts'
import { deleteRange, getItems, putItems } from './batches.ts'
import { both, isReadable, isThere } from './expressions.ts'
import { createInbox } from './inbox.ts'
import { itemOf, text } from './item.ts'
import { catalogKeys as keys, journalKeys } from './keys.ts'
import { type CatalogDeps, createPublishing } from './publishing.ts'
import { historyIn, type KeptStack, stackIn, versionIn } from './stack-record.ts'
import { formatOf } from './stored.ts'
import { deleteItem, getItem, queryItems, type Table, updateItem } from './table.ts'

/** What stacks are kept with: their inboxes are in the journal. */
type Deps = CatalogDeps & { readonly journal: Table }

/**
 * Stacks in the catalog. What starts, publishes or releases writes two items in one transaction:
 * each happens once per deployment. Whoever makes something carries a token, by which the
 * repetition of its request is known.
 */
export function createCatalog(deps: Deps): CatalogPort {
  const { catalog, journal } = deps
  return {
    createStack: async (id, at) => {
      const before = await getItem(catalog, keys.stack(id))
      if (stackIn(id, before) !== undefined) return false
      // What a removal left, should it have been interrupted, is not the new stack's.
      if (before !== undefined) await clear(deps, id)
      await putItems(catalog, [{ key: keys.listed(id), item: {} }])
      return create(deps, id, at)
    },
    stack: async id => {
      const stack = stackIn(id, await getItem(catalog, keys.stack(id)))
      return stack === undefined ? undefined : told(stack)
    },
    stacks: async project => {
      const { pk } = keys.listed('')
      const beginsWith = `organization/${project ?? ''}${project === undefined ? '' : '/'}`
      const listed = await queryItems(catalog, { pk, beginsWith, limit: limits.listedMax })
      const ids = listed.map(item => text(item, 'sk') as StackId)
      const items = await getItems(
        catalog,
        ids.map(id => keys.stack(id)),
      )
      const byKey = new Map(items.map(item => [text(item, 'pk'), item]))
      const stacks: StackRecord[] = []
      const unreadable: UnreadableStack[] = []
      for (const id of ids) {
        try {
          const stack = stackIn(id, byKey.get(keys.stack(id).pk))
          if (stack !== undefined) stacks.push(told(stack))
        } catch (thrown) {
          unreadable.push({ id, why: thrown instanceof Error ? thrown : new Error(String(thrown)) })
        }
      }
      return { stacks, unreadable }
    },
    removeStack: id => remove(deps, id),
    ...createPublishing(deps),
    ...createInbox(journal),
    history: async (id, limit, before) => {
      const { pk, sk: atMost } = keys.history(id, Math.max(0, (before ?? 0) - 1))
      const bound = before === undefined ? {} : { atMost }
      const items = await queryItems(catalog, { pk, isBackwards: true, limit, ...bound })
      return items.map(item => historyIn(id, item))
    },
    versions: async (id, limit, before) => {
      const { pk, sk: atMost } = keys.version(id, Math.max(0, (before ?? 0) - 1))
      const bound = before === undefined ? {} : { atMost }
      const items = await queryItems(catalog, { pk, isBackwards: true, limit, ...bound })
      return items.map(item => versionIn(id, item))
    },
  }
}

/** The stack that others are told of. */
function told(stack: KeptStack): StackRecord {
  const { id, createdAt, current, version, snapshot, deployments } = stack
  return { id, createdAt, current, version, snapshot, deployments }
}

/** Makes the record of a stack, over the one that its removal left. */
async function create({ catalog, random }: CatalogDeps, id: StackId, at: number): Promise<boolean> {
  const token = random.uuid()
  const fresh = ['#createdAt = :at', '#token = :token', '#removed = :no', '#format = :format']
  const empty = [
    '#current = :empty',
    '#startToken = :empty',
    '#snapshot = :empty',
    '#version = :zero',
  ]
  const written = await updateItem(catalog, {
    key: keys.stack(id),
    set: `SET ${[...fresh, ...empty, '#deployments = if_not_exists(#deployments, :zero)'].join(', ')}`,
    condition: both(isReadable, 'attribute_not_exists(#pk) OR #removed = :yes'),
    values: {
      ...itemOf({ at, token, yes: true, no: false, empty: '', zero: 0 }),
      ...formatOf('stack'),
    },
  })
  return written.isDone || (written.stands !== undefined && text(written.stands, 'token') === token)
}

/** Takes a stack away, then what it had. Whoever makes it again does the second part once more. */
async function remove(deps: Deps, id: StackId): Promise<boolean> {
  const { catalog } = deps
  const item = await getItem(catalog, keys.stack(id))
  const stack = stackIn(id, item)
  if (stack === undefined) {
    if (item !== undefined) await clear(deps, id)
    return true
  }
  if (stack.current !== '') return false
  const written = await updateItem(catalog, {
    key: keys.stack(id),
    set: 'SET #removed = :yes, #version = :zero, #snapshot = :empty',
    condition: both(isThere, both(isReadable, '#current = :empty')),
    values: { ...itemOf({ yes: true, zero: 0, empty: '' }), ...formatOf('stack') },
  })
  if (!written.isDone) return false
  await clear(deps, id)
  return true
}

/** Removes what belongs to a stack that is removed: history, versions, inbox, times. */
async function clear({ catalog, journal }: Deps, id: StackId): Promise<void> {
  await deleteItem(catalog, keys.listed(id))
  const partitions = [
    [catalog, keys.history(id, 0)],
    [catalog, keys.version(id, 0)],
    [journal, journalKeys.late(id, '')],
    [journal, journalKeys.slow(id, '')],
  ] as const
  for (const [table, { pk }] of partitions) {
    await deleteRange(table, { pk })
  }
}
