import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { UsagePort } from '../../../ports/usage.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import { addUsage, noUsage, usageParts, type UsageRecord } from '../../../records/usage.ts'
import { createDamagedError, isRecordObject } from '../../records/record-layouts.ts'
import { parseJsonAttribute, recordAttributesOf, requireReadableItem } from './record-format.ts'
import { journalKeys as keys } from './record-keys.ts'
import { type Item, readText, toItem } from './table/item.ts'
import { putItem, queryItems, type Table } from './table/table.ts'

/**
 * Creates the port for the usage of deployments. Each call of a function has one item for each
 * deployment that it worked for.
 */
export function createUsage(journalTable: Table): UsagePort {
  return {
    put: async (deployment, { part, run, counts }) => {
      await putItem(journalTable, {
        key: keys.usage(deployment, `${part} ${run}`),
        item: {
          ...recordAttributesOf('usage', journalTable),
          ...toItem({ counts: JSON.stringify(counts) }),
        },
        ifAbsent: false,
      })
    },
    list: async deployment => {
      const { pk } = keys.usage(deployment, '')
      const records: UsageRecord[] = []
      for (let after = ''; ; ) {
        const lowerBound = after === '' ? {} : { after }
        const range = { pk, ...lowerBound, limit: limits.itemsPerListMax }
        const items = await queryItems(journalTable, range)
        records.push(...items.map(item => parseUsage(deployment, item)))
        const lastItem = items[limits.itemsPerListMax - 1]
        if (lastItem === undefined) return records
        after = readText(lastItem, 'sk')
      }
    },
  }
}

function parseUsage(deployment: DeploymentId, item: Item): UsageRecord {
  const [partText = '', run = ''] = readText(item, 'sk').split(' ')
  const record = { kind: 'usage', keys: { deployment, run: readText(item, 'sk') } } as const
  requireReadableItem('usage', record.keys, item)
  const part = usageParts.find(candidate => candidate === partText)
  if (part === undefined) throw createDamagedError('usage', record.keys, 'its part is unknown')
  const counts = parseJsonAttribute(record, item, 'counts', isCounts)
  // A field that the record lacks is 0.
  return { part, run, counts: addUsage(noUsage, counts) }
}

function isCounts(value: unknown): value is Readonly<Record<string, number>> {
  return isRecordObject(value) && Object.values(value).every(Number.isFinite)
}
