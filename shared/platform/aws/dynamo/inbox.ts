import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { StackId } from '../../../records/ids.ts'
import { lateKeyOf, type LateOutcome } from '../../../records/late-outcome.ts'
import { putItems } from './table/batch-items.ts'
import { readFlag, type Item, toItem, readNumber, readText } from './table/item.ts'
import { journalKeys as keys } from './record-keys.ts'
import { formatAttributeOf, parseJsonAttribute, requireReadableItem } from './record-format.ts'
import { putItem, queryItems, type Table } from './table/table.ts'

/**
 * Creates the records that stacks keep outside their deployments: late outcomes, and durations of
 * slow operations. They are in the journal, because executors write them and cannot write the
 * catalog. None of them expires.
 */
export function createInbox(
  journalTable: Table,
): Pick<CatalogPort, 'putLate' | 'listLate' | 'removeLate' | 'noteSlow' | 'listSlow'> {
  return {
    putLate: async (id, item) => {
      const at = journalTable.clock.now()
      await putItem(journalTable, {
        key: keys.late(id, lateKeyOf(item)),
        item: { ...toItem({ at, item: JSON.stringify(item) }), ...formatAttributeOf('late') },
        ifAbsent: true,
      })
    },
    listLate: async (id, limit) => {
      const { pk } = keys.late(id, '')
      const items = await queryItems(journalTable, { pk, limit: limits.listedMax })
      return items
        .filter(item => !readFlag(item, 'taken'))
        .toSorted((one, other) => readNumber(one, 'at') - readNumber(other, 'at'))
        .slice(0, limit)
        .map(item => parseLateItem(id, item))
    },
    // The key stays, because an outcome may be put here after a deployment took it from elsewhere.
    removeLate: (id, taken) =>
      putItems(
        journalTable,
        [...new Set(taken)].map(key => ({
          key: keys.late(id, key),
          item: { ...toItem({ taken: true }), ...formatAttributeOf('late') },
        })),
      ),
    noteSlow: async (id, key, ms) => {
      const item = toItem({ ms: Math.round(ms) })
      await putItem(journalTable, { key: keys.slow(id, key), item, ifAbsent: false })
    },
    listSlow: async id => {
      const { pk } = keys.slow(id, '')
      const items = await queryItems(journalTable, { pk, limit: limits.slowMax })
      return new Map(items.map(item => [readText(item, 'sk'), readNumber(item, 'ms')]))
    },
  }
}

function parseLateItem(stack: StackId, item: Item): LateOutcome {
  const keys = { stack, key: readText(item, 'sk') }
  requireReadableItem('late', keys, item)
  return parseJsonAttribute({ kind: 'late', keys }, item, 'item', isLate)
}

function isLate(value: unknown): value is LateOutcome {
  return typeof value === 'object' && value !== null && 'deployment' in value
}
