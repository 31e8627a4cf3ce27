import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { LeasesPort } from '../../../ports/records.ts'
import type { Lease, ProcessGroup } from '../../../records/head.ts'
import type { DeploymentId, ExecutorId } from '../../../records/ids.ts'
import { isHolder } from './control.ts'
import { both, isReadable, isThere, type Values } from './expressions.ts'
import { flag, type Item, itemOf, number, text } from './item.ts'
import { journalKeys as keys } from './keys.ts'
import { formatOf, formOf, jsonIn, readableItem } from './stored.ts'
import { putItem, queryItems, type Table, updateItem } from './table.ts'

/** Leases of executors in the journal, one item each: a renewal touches nobody else's. */
export function createLeases(journal: Table): LeasesPort {
  const change = async (
    deployment: DeploymentId,
    executor: ExecutorId,
    { set, when, values }: { readonly set: string; readonly when: string; readonly values: Values },
  ): Promise<boolean> => {
    const written = await updateItem(journal, {
      key: keys.lease(deployment, executor),
      set,
      condition: both(isThere, both(isReadable, when)),
      values: { ...values, ...formatOf('lease') },
    })
    if (written.isDone) return true
    if (written.stands !== undefined)
      readableItem('lease', { deployment, executor }, written.stands)
    return false
  }
  const isLive = '#retired = :no'
  return {
    register: async (deployment, executor, holder) => {
      const made = { counter: 0, retired: false, left: false, groups: '[]' }
      await putItem(journal, {
        key: keys.lease(deployment, executor),
        item: {
          ...formOf('lease', journal),
          ...itemOf({ ...made, holder: JSON.stringify(holder) }),
        },
        ifAbsent: true,
      })
    },
    renew: (deployment, executor, groups) =>
      change(deployment, executor, {
        set: 'SET #groups = :groups ADD #counter :one',
        when: isLive,
        values: itemOf({ groups: JSON.stringify(groups), one: 1, no: false }),
      }),
    retire: async (deployment, executor) => {
      const values = itemOf({ yes: true, no: false })
      await change(deployment, executor, { set: 'SET #retired = :yes', when: isLive, values })
    },
    leave: async (deployment, executor) => {
      const set = 'SET #retired = :yes, #left = :yes'
      await change(deployment, executor, { set, when: isThere, values: itemOf({ yes: true }) })
    },
    list: async deployment => {
      const { pk } = keys.lease(deployment, '')
      const items = await queryItems(journal, { pk, limit: limits.rememberedMax })
      return items.map(item => leaseIn(deployment, item))
    },
  }
}

function leaseIn(deployment: DeploymentId, item: Item): Lease {
  const executor = text(item, 'sk') as ExecutorId
  const about = { kind: 'lease', keys: { deployment, executor } } as const
  readableItem('lease', about.keys, item)
  return {
    executor,
    holder: jsonIn(about, item, 'holder', isHolder),
    counter: number(item, 'counter'),
    retired: flag(item, 'retired'),
    left: flag(item, 'left'),
    groups: jsonIn(about, item, 'groups', isGroups),
  }
}

function isGroups(value: unknown): value is ProcessGroup[] {
  return Array.isArray(value) && value.every(one => typeof one === 'object' && one !== null)
}
