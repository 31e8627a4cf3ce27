import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import { type DeploymentId, deploymentPartsOf, type StackId } from '../../../records/ids.ts'
import { lateOutcomeKeyOf, type LateOutcome } from '../../../records/late-outcome.ts'
import { putItems } from './table/batch-items.ts'
import { readFlag, type Item, toItem, readNumber, readText } from './table/item.ts'
import { catalogKeys, journalKeys as keys } from './record-keys.ts'
import { formatAttributeOf, parseJsonAttribute, requireReadableItem } from './record-format.ts'
import { getItem, putItem, queryItems, type Table } from './table/table.ts'

/**
 * Creates the methods for the records of a stack that outlive those of its deployments: late
 * outcomes, and durations of slow operations. These records are in the journal table, because
 * executors write them and have no permission to write the catalog table. They never expire, and
 * may exist after the removal of their stack. A later stack of the same id does not list the late
 * outcomes of the removed stack.
 */
export function createInbox({
  journalTable,
  catalogTable,
}: {
  readonly journalTable: Table
  readonly catalogTable: Table
}): Pick<
  CatalogPort,
  | 'putLateOutcome'
  | 'listLateOutcomes'
  | 'removeLateOutcomes'
  | 'recordSlowOperation'
  | 'listSlowOperations'
> {
  return {
    putLateOutcome: async (id, lateOutcome) => {
      const nowMs = journalTable.clock.now()
      await putItem(journalTable, {
        key: keys.late(id, lateOutcomeKeyOf(lateOutcome)),
        item: {
          ...toItem({ at: nowMs, item: JSON.stringify(lateOutcome) }),
          ...formatAttributeOf('late'),
        },
        ifAbsent: true,
      })
    },
    listLateOutcomes: async (id, limit) => {
      const { pk } = keys.late(id, '')
      const items = await queryItems(journalTable, { pk, limit: limits.listEntriesMax })
      if (items.length === 0) return []
      const stackItem = await getItem(catalogTable, catalogKeys.stack(id))
      return items
        .filter(item => !readFlag(item, 'taken') && isLateItemOfStack(item, stackItem))
        .toSorted((one, other) => readNumber(one, 'at') - readNumber(other, 'at'))
        .slice(0, limit)
        .map(item => parseLateItem(id, item))
    },
    // The keys stay, marked as taken. An executor may put the outcome into the inbox after a
    // deployment already took the same outcome from another record.
    removeLateOutcomes: (id, takenKeys) =>
      putItems(
        journalTable,
        [...new Set(takenKeys)].map(key => ({
          key: keys.late(id, key),
          item: { ...toItem({ taken: true }), ...formatAttributeOf('late') },
        })),
      ),
    recordSlowOperation: async (id, key, durationMs) => {
      const item = toItem({ ms: Math.round(durationMs) })
      await putItem(journalTable, { key: keys.slow(id, key), item, ifAbsent: false })
    },
    listSlowOperations: async id => {
      const { pk } = keys.slow(id, '')
      const items = await queryItems(journalTable, { pk, limit: limits.slowKindsMax })
      return new Map(items.map(item => [readText(item, 'sk'), readNumber(item, 'ms')]))
    },
  }
}

/**
 * Reports whether a late outcome belongs to the stack with this item, or to the rename that has
 * reserved its id. Otherwise it belongs to a removed stack with the same id. The outcomes that a
 * rename copies have deployment numbers of another id. The rename therefore marks these copies with
 * its token, which is also in the item of the stack.
 */
export function isLateItemOfStack(lateItem: Item, stackItem: Item | undefined): boolean {
  if (stackItem === undefined) return true
  const copiedBy = readText(lateItem, 'copiedBy')
  if (copiedBy !== '') return copiedBy === readText(stackItem, 'token')
  if (readFlag(stackItem, 'removed')) return false
  const [deployment = ''] = readText(lateItem, 'sk').split(' ')
  const { number } = deploymentPartsOf(deployment as DeploymentId)
  return number > readNumber(stackItem, 'deploymentsBefore')
}

function parseLateItem(stack: StackId, item: Item): LateOutcome {
  const keys = { stack, key: readText(item, 'sk') }
  requireReadableItem('late', keys, item)
  return parseJsonAttribute({ kind: 'late', keys }, item, 'item', isLateOutcome)
}

function isLateOutcome(value: unknown): value is LateOutcome {
  return typeof value === 'object' && value !== null && 'deployment' in value
}
