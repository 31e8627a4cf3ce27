import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { LeasesPort } from '../../../ports/records.ts'
import type { Lease, ProcessGroup } from '../../../records/head.ts'
import type { DeploymentId, ExecutorId } from '../../../records/ids.ts'
import { isHolder } from './control.ts'
import {
  joinConditions,
  readableCondition,
  existsCondition,
  type PlaceholderValues,
} from './table/expressions.ts'
import { readFlag, type Item, toItem, readNumber, readText } from './table/item.ts'
import { journalKeys as keys } from './record-keys.ts'
import {
  formatAttributeOf,
  recordAttributesOf,
  parseJsonAttribute,
  requireReadableItem,
} from './record-format.ts'
import { putItem, queryItems, type Table, updateItem } from './table/table.ts'

/**
 * Creates the port for leases in the journal. Each lease is a separate item, so a renewal does not
 * touch other leases.
 */
export function createLeases(journalTable: Table): LeasesPort {
  const updateLease = async (
    deployment: DeploymentId,
    executor: ExecutorId,
    {
      updateExpression,
      extraCondition,
      values,
    }: {
      readonly updateExpression: string
      readonly extraCondition: string
      readonly values: PlaceholderValues
    },
  ): Promise<boolean> => {
    const writeResult = await updateItem(journalTable, {
      key: keys.lease(deployment, executor),
      updateExpression,
      condition: joinConditions(existsCondition, joinConditions(readableCondition, extraCondition)),
      values: { ...values, ...formatAttributeOf('lease') },
    })
    if (writeResult.isDone) return true
    if (writeResult.existing !== undefined)
      requireReadableItem('lease', { deployment, executor }, writeResult.existing)
    return false
  }
  const unretiredCondition = '#retired = :no'
  return {
    register: async (deployment, executor, holder) => {
      const initialValues = { counter: 0, retired: false, left: false, groups: '[]' }
      await putItem(journalTable, {
        key: keys.lease(deployment, executor),
        item: {
          ...recordAttributesOf('lease', journalTable),
          ...toItem({ ...initialValues, holder: JSON.stringify(holder) }),
        },
        ifAbsent: true,
      })
    },
    renew: (deployment, executor, groups) =>
      updateLease(deployment, executor, {
        updateExpression: 'SET #groups = :groups ADD #counter :one',
        extraCondition: unretiredCondition,
        values: toItem({ groups: JSON.stringify(groups), one: 1, no: false }),
      }),
    retire: async (deployment, executor) => {
      const values = toItem({ yes: true, no: false })
      await updateLease(deployment, executor, {
        updateExpression: 'SET #retired = :yes',
        extraCondition: unretiredCondition,
        values,
      })
    },
    leave: async (deployment, executor) => {
      const updateExpression = 'SET #retired = :yes, #left = :yes'
      await updateLease(deployment, executor, {
        updateExpression,
        extraCondition: existsCondition,
        values: toItem({ yes: true }),
      })
    },
    list: async deployment => {
      const { pk } = keys.lease(deployment, '')
      const items = await queryItems(journalTable, { pk, limit: limits.itemsPerListMax })
      return items.map(item => parseLease(deployment, item))
    },
  }
}

function parseLease(deployment: DeploymentId, item: Item): Lease {
  const executor = readText(item, 'sk') as ExecutorId
  const record = { kind: 'lease', keys: { deployment, executor } } as const
  requireReadableItem('lease', record.keys, item)
  return {
    executor,
    holder: parseJsonAttribute(record, item, 'holder', isHolder),
    counter: readNumber(item, 'counter'),
    retired: readFlag(item, 'retired'),
    left: readFlag(item, 'left'),
    groups: parseJsonAttribute(record, item, 'groups', isGroups),
  }
}

function isGroups(value: unknown): value is ProcessGroup[] {
  return Array.isArray(value) && value.every(group => typeof group === 'object' && group !== null)
}
