import { tableKeys } from '../../../config/aws-places.ts'
import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import type { KeptDeployment, RetentionPort } from '../../../ports/retention.ts'
import { type DeploymentId, deploymentPartsOf } from '../../../records/ids.ts'
import { deleteItems, deleteRange, getItems } from './batches.ts'
import { blocksOf, operationsOf } from './blocks.ts'
import { flag, type Item, type Key, keyIn, number, text } from './item.ts'
import { catalogKeys, journalKeys, numberIn } from './keys.ts'
import { createReferences } from './references.ts'
import { historyIn } from './stack-record.ts'
import { deleteItem, queryItems, type Table } from './table.ts'

/** Both tables: whether records may go is said by the catalog. */
export interface Tables {
  readonly journal: Table
  readonly catalog: Table
}

/**
 * Removal by key: the catalog lists the deployments, the journal the blocks of their operations, so
 * nothing is scanned. Heads go after their outcomes, and what finds records after those records.
 */
export function createRetention({ journal, catalog }: Tables): RetentionPort {
  return {
    deployments: async () => {
      const { pk } = catalogKeys.kept('')
      const items = await queryItems(catalog, { pk, limit: limits.listedMax })
      const ids = items.map(item => text(item, 'sk') as DeploymentId)
      return keptDeployments({ journal, catalog }, ids)
    },
    removeRecords: async (deployment, rows) => {
      const [kept] = await keptDeployments({ journal, catalog }, [deployment])
      if (kept === undefined || kept.closed === false || kept.isCurrent) return true
      let left = rows
      for (const removeSome of stages(journal, deployment)) {
        if (left <= 0) return false
        left -= await removeSome(left)
      }
      if (left <= 0) return false
      await deleteItem(journal, journalKeys.control(deployment))
      await deleteItem(catalog, catalogKeys.kept(deployment))
      return true
    },
    removeVersions: async (stack, through) => {
      const [current] = await getItems(catalog, [catalogKeys.stack(stack)])
      if (current === undefined) return
      const last = Math.min(through, number(current, 'version') - 1)
      const { pk, sk: atMost } = catalogKeys.version(stack, Math.max(0, last))
      await deleteRange(catalog, { pk, atMost })
    },
    references: createReferences({ journal, catalog }),
  }
}

/** Removes at most so many items, and answers how many it removed. */
type RemoveSome = (rows: number) => Promise<number>

/** What is removed of a deployment, in this order; its control record is the last of all. */
function stages(journal: Table, deployment: DeploymentId): readonly RemoveSome[] {
  const partition =
    ({ pk }: Key): RemoveSome =>
    async rows => {
      const items = await queryItems(journal, { pk, limit: rows, only: ['pk', 'sk'] })
      await deleteItems(journal, items.map(keyIn))
      return items.length
    }
  return [
    firstOfLog(journal, deployment),
    partition(journalKeys.log(deployment, 0)),
    partition(journalKeys.chunk(deployment, 0)),
    partition(journalKeys.writer(deployment, '')),
    rows => removeOperations(journal, deployment, rows),
    partition(journalKeys.lease(deployment, '')),
  ]
}

/** A reader can tell by it that the log is being removed; the others go in any order. */
function firstOfLog(journal: Table, deployment: DeploymentId): RemoveSome {
  return async () => {
    const { pk } = journalKeys.log(deployment, 0)
    const [first] = await queryItems(journal, { pk, limit: 1, only: ['pk', 'sk'] })
    if (first === undefined || numberIn(text(first, 'sk')) > 0) return 0
    await deleteItem(journal, keyIn(first))
    return 1
  }
}

/** Block by block; one whose heads are all gone goes itself. */
async function removeOperations(
  journal: Table,
  deployment: DeploymentId,
  rows: number,
): Promise<number> {
  let left = rows
  for (;;) {
    const [block] = await blocksOf(journal, deployment, { from: 0, limit: 1 })
    if (block === undefined) return rows - left
    const heads = await headsOf(journal, deployment, block)
    for (const { operation, attempts } of heads) {
      if (left <= 0) return rows
      const outcomes = Array.from({ length: attempts }, (_, at) =>
        journalKeys.outcome(deployment, operation, at + 1),
      )
      await deleteItems(journal, outcomes)
      await deleteItem(journal, journalKeys.head(deployment, operation))
      left -= 1 + attempts
    }
    if (left <= 0) return rows
    await deleteItem(journal, journalKeys.block(deployment, block))
    left -= 1
  }
}

/** The heads of a block that are there, with the attempts that may have outcomes. */
async function headsOf(
  journal: Table,
  deployment: DeploymentId,
  block: number,
): Promise<readonly { readonly operation: number; readonly attempts: number }[]> {
  const byKey = new Map(
    operationsOf(block).map(id => [journalKeys.head(deployment, id).pk, id] as const),
  )
  const keys = [...byKey.keys()].map(pk => ({ pk, sk: 'head' }))
  const items = await getItems(journal, keys, ['pk', 'attempt', tableKeys.expires])
  return items.map(item => ({
    operation: byKey.get(text(item, 'pk')) ?? 0,
    attempts: number(item, 'attempt'),
  }))
}

async function keptDeployments(
  { journal, catalog }: Tables,
  ids: readonly DeploymentId[],
): Promise<readonly KeptDeployment[]> {
  const places = ids.map(deployment => ({ deployment, ...deploymentPartsOf(deployment) }))
  const stackKeys = new Set(places.map(({ stack }) => stack))
  const [controls, owners] = await Promise.all([
    getItems(
      journal,
      ids.map(id => journalKeys.control(id)),
    ),
    getItems(catalog, [
      ...[...stackKeys].map(stack => catalogKeys.stack(stack)),
      ...places.map(({ stack, number }) => catalogKeys.history(stack, number)),
    ]),
  ])
  const byKey = new Map([...controls, ...owners].map(item => [nameOf(keyIn(item)), item]))
  const at = (key: Key): Item | undefined => byKey.get(nameOf(key))
  return places.map(({ deployment, stack, number }) => {
    const control = at(journalKeys.control(deployment))
    const owner = at(catalogKeys.stack(stack))
    const line = at(catalogKeys.history(stack, number))
    const endedAt = line === undefined ? undefined : historyIn(stack, line).endedAt
    return {
      deployment,
      closed: control === undefined ? undefined : flag(control, 'closed'),
      isCurrent:
        owner !== undefined && !flag(owner, 'removed') && text(owner, 'current') === deployment,
      isInHistory: line !== undefined,
      ...(endedAt === undefined ? {} : { endedAt }),
    }
  })
}

const nameOf = ({ pk, sk }: Key): string => `${pk}\n${sk}`
