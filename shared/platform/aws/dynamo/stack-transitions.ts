import { historyBeginOf } from '../../records/history-begin.ts'
import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import { error } from '../../../errors/error.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { RandomPort } from '../../../ports/system.ts'
import {
  type BlobHash,
  deploymentIdOf,
  deploymentPartsOf,
  type StackId,
} from '../../../records/ids.ts'
import { andConditions, readableCondition, existsCondition } from './table/expressions.ts'
import { toItem } from './table/item.ts'
import { catalogKeys as keys } from './record-keys.ts'
import { type StoredStack, parseStackItem } from './stack-record.ts'
import { formatAttributeOf, requireReadableItem } from './record-format.ts'
import { getItem, type Table, updateItem } from './table/table.ts'
import { transact } from './table/transaction.ts'

/** Dependencies of the catalog. */
export interface CatalogDeps {
  readonly catalogTable: Table
  readonly random: Pick<RandomPort, 'uuid'>
}

type StackTransitions = Pick<CatalogPort, 'start' | 'publish' | 'release'>

const existingStackCondition = andConditions(
  existsCondition,
  andConditions(readableCondition, '#removed = :no'),
)

/** Creates the catalog's methods that start, publish and release a deployment. */
export function createStackTransitions(deps: CatalogDeps): StackTransitions {
  return {
    start: (id, input) => {
      const token = deps.random.uuid()
      return retryWhileRacing(() => writeStart(deps, { id, token, ...input }))
    },
    publish: (id, expectedVersion, snapshot) =>
      retryWhileRacing(() => writePublication(deps, { id, expectedVersion, snapshot })),
    release: createRelease(deps),
  }
}

/**
 * Repeats `attempt` while it returns undefined, because another writer changed the stack between
 * read and write. Throws STORE_UNAVAILABLE after `raceAttemptsMax` attempts.
 */
async function retryWhileRacing<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let number = 1; number <= limits.raceAttemptsMax; number += 1) {
    const result = await attempt()
    if (result !== undefined) return result
  }
  throw error('STORE_UNAVAILABLE', 'gave up changing the stack: it was updated concurrently')
}

async function writeStart(
  { catalogTable, random }: CatalogDeps,
  input: Parameters<StackTransitions['start']>[1] & {
    readonly id: StackId
    readonly token: string
  },
): Promise<Awaited<ReturnType<StackTransitions['start']>> | undefined> {
  const { id, token } = input
  const stack = await requireStack(catalogTable, id)
  if (stack.current !== '') {
    const kind = stack.startToken === token ? 'started' : 'busy'
    return { kind, deployment: stack.current }
  }
  const number = stack.deployments + 1
  const deployment = deploymentIdOf(id, number)
  const change = {
    key: keys.stack(id),
    updateExpression: 'SET #current = :deployment, #deployments = :number, #startToken = :token',
    condition: andConditions(
      existingStackCondition,
      '#current = :empty AND #deployments = :before',
    ),
    values: {
      ...toItem({ deployment, number, token, empty: '', no: false, before: number - 1 }),
      ...formatAttributeOf('stack'),
    },
  }
  const historyItem = {
    ...toItem({ begun: JSON.stringify(historyBeginOf(deployment, input)) }),
    ...formatAttributeOf('history'),
  }
  const { isDone } = await transact(catalogTable, random, [
    { kind: 'change', change },
    { kind: 'put', key: keys.history(id, number), item: historyItem, ifAbsent: true },
    // Retention finds the records of the deployment by this item.
    { kind: 'put', key: keys.deploymentListEntry(deployment), item: {}, ifAbsent: false },
  ])
  return isDone ? { kind: 'started', deployment } : undefined
}

async function writePublication(
  { catalogTable, random }: CatalogDeps,
  input: { readonly id: StackId; readonly expectedVersion: number; readonly snapshot: BlobHash },
): Promise<Awaited<ReturnType<StackTransitions['publish']>> | undefined> {
  const { id, expectedVersion, snapshot } = input
  const { version, snapshot: publishedSnapshot } = await requireStack(catalogTable, id)
  const nextVersion = expectedVersion + 1
  if (version === nextVersion && publishedSnapshot === snapshot)
    return { kind: 'already-published', version }
  if (version !== expectedVersion) return { kind: 'conflict', version }
  const change = {
    key: keys.stack(id),
    updateExpression: 'SET #version = :next, #snapshot = :snapshot',
    condition: andConditions(existingStackCondition, '#version = :expected'),
    values: {
      ...toItem({ next: nextVersion, snapshot, expected: expectedVersion, no: false }),
      ...formatAttributeOf('stack'),
    },
  }
  const item = { ...toItem({ blob: snapshot }), ...formatAttributeOf('snapshot') }
  const { isDone } = await transact(catalogTable, random, [
    { kind: 'change', change },
    { kind: 'put', key: keys.version(id, nextVersion), item, ifAbsent: false },
  ])
  return isDone ? { kind: 'published', version: nextVersion } : undefined
}

function createRelease({ catalogTable, random }: CatalogDeps): StackTransitions['release'] {
  return async (deployment, { at: endedAt, ...end }) => {
    const { stack, number } = deploymentPartsOf(deployment)
    const endJson = JSON.stringify({ endedAt, ...end })
    const stackUpdate = {
      key: keys.stack(stack),
      updateExpression: 'SET #current = :empty, #startToken = :empty',
      condition: andConditions(readableCondition, '#current = :deployment'),
      values: { ...toItem({ deployment, empty: '' }), ...formatAttributeOf('stack') },
    }
    const historyUpdate = {
      key: keys.history(stack, number),
      updateExpression: 'SET #ended = :ended',
      condition: andConditions(existsCondition, readableCondition),
      values: { ...toItem({ ended: endJson }), ...formatAttributeOf('history') },
    }
    const result = await transact(catalogTable, random, [
      { kind: 'change', change: stackUpdate },
      { kind: 'change', change: historyUpdate },
    ])
    if (result.isDone) return
    const [stackRefusal, historyRefusal] = result.parts
    if (stackRefusal?.isRefused === true) {
      if (stackRefusal.existing !== undefined)
        requireReadableItem('stack', { id: stack }, stackRefusal.existing)
      return
    }
    if (historyRefusal?.existing !== undefined)
      requireReadableItem('history', { stack, number }, historyRefusal.existing)
    // A lost history entry must not block the stack.
    else await updateItem(catalogTable, stackUpdate)
  }
}

/** Returns the record of an existing stack. Throws STACK_NOT_FOUND. */
async function requireStack(catalogTable: Table, id: StackId): Promise<StoredStack> {
  const stack = parseStackItem(id, await getItem(catalogTable, keys.stack(id)))
  if (stack === undefined) throw error('STACK_NOT_FOUND', `the stack ${id} does not exist`)
  return stack
}
