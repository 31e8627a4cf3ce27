import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { StackId } from '../../../records/ids.ts'
import { lateOutcomeKeyOf, type LateOutcome } from '../../../records/late-outcome.ts'
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
      const nowMs = journalTable.clock.now()
      await putItem(journalTable, {
        key: keys.late(id, lateOutcomeKeyOf(item)),
        item: {
          ...toItem({ at: nowMs, item: JSON.stringify(item) }),
          ...formatAttributeOf('late'),
        },
        ifAbsent: true,
      })
    },
    listLate: async (id, limit) => {
      const { pk } = keys.late(id, '')
      const items = await queryItems(journalTable, { pk, limit: limits.listEntriesMax })
      return items
        .filter(item => !readFlag(item, 'taken'))
        .toSorted((one, other) => readNumber(one, 'at') - readNumber(other, 'at'))
        .slice(0, limit)
        .map(item => parseLateItem(id, item))
    },
    // The key stays. An executor may put the outcome here after a deployment already took the same
    // outcome from another record.
    removeLate: (id, takenKeys) =>
      putItems(
        journalTable,
        [...new Set(takenKeys)].map(key => ({
          key: keys.late(id, key),
          item: { ...toItem({ taken: true }), ...formatAttributeOf('late') },
        })),
      ),
    noteSlow: async (id, key, durationMs) => {
      const item = toItem({ ms: Math.round(durationMs) })
      await putItem(journalTable, { key: keys.slow(id, key), item, ifAbsent: false })
    },
    listSlow: async id => {
      const { pk } = keys.slow(id, '')
      const items = await queryItems(journalTable, { pk, limit: limits.slowKindsMax })
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
