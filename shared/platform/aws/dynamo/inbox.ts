import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { StackId } from '../../../records/ids.ts'
import { lateKeyOf, type LateOutcome } from '../../../records/late.ts'
import { putItems } from './batches.ts'
import { flag, type Item, itemOf, number, text } from './item.ts'
import { journalKeys as keys } from './keys.ts'
import { formatOf, jsonIn, readableItem } from './stored.ts'
import { putItem, queryItems, type Table } from './table.ts'

/**
 * What stacks keep beside their deployments: late outcomes, and how long slow operations took. In
 * the journal, for executors write them and may not write the catalog; nothing of it expires.
 */
export function createInbox(
  journal: Table,
): Pick<CatalogPort, 'putLate' | 'late' | 'removeLate' | 'noteSlow' | 'slow'> {
  return {
    putLate: async (id, item) => {
      const at = journal.clock.now()
      await putItem(journal, {
        key: keys.late(id, lateKeyOf(item)),
        item: { ...itemOf({ at, item: JSON.stringify(item) }), ...formatOf('late') },
        ifAbsent: true,
      })
    },
    late: async (id, limit) => {
      const { pk } = keys.late(id, '')
      const items = await queryItems(journal, { pk, limit: limits.listedMax })
      return items
        .filter(item => !flag(item, 'taken'))
        .toSorted((one, other) => number(one, 'at') - number(other, 'at'))
        .slice(0, limit)
        .map(item => lateIn(id, item))
    },
    // The key stays: who puts an item late may do so after it was taken from elsewhere.
    removeLate: (id, taken) =>
      putItems(
        journal,
        [...new Set(taken)].map(key => ({
          key: keys.late(id, key),
          item: { ...itemOf({ taken: true }), ...formatOf('late') },
        })),
      ),
    noteSlow: async (id, key, ms) => {
      const item = itemOf({ ms: Math.round(ms) })
      await putItem(journal, { key: keys.slow(id, key), item, ifAbsent: false })
    },
    slow: async id => {
      const { pk } = keys.slow(id, '')
      const items = await queryItems(journal, { pk, limit: limits.slowMax })
      return new Map(items.map(item => [text(item, 'sk'), number(item, 'ms')]))
    },
  }
}

function lateIn(stack: StackId, item: Item): LateOutcome {
  const keys = { stack, key: text(item, 'sk') }
  readableItem('late', keys, item)
  return jsonIn({ kind: 'late', keys }, item, 'item', isLate)
}

function isLate(value: unknown): value is LateOutcome {
  return typeof value === 'object' && value !== null && 'deployment' in value
}
