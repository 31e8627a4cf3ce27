import { dynamoLimits as limits } from '../../../config/dynamo-limits.ts'
import { error } from '../../../errors/error.ts'
import type { CatalogPort, HistoryRecord } from '../../../ports/catalog.ts'
import type { RandomPort } from '../../../ports/system.ts'
import {
  type BlobHash,
  deploymentIdOf,
  deploymentPartsOf,
  type StackId,
} from '../../../records/ids.ts'
import { andConditions, isReadable, isThere } from './table/expressions.ts'
import { toItem } from './table/item.ts'
import { catalogKeys as keys } from './record-keys.ts'
import { type KeptStack, parseStackItem } from './stack-record.ts'
import { formatAttributeOf, requireReadableItem } from './record-format.ts'
import { getItem, type Table, updateItem } from './table/table.ts'
import { transact } from './table/transaction.ts'

/** Dependencies of the catalog. */
export interface CatalogDeps {
  readonly catalogTable: Table
  readonly random: Pick<RandomPort, 'uuid'>
}

type StackTransitions = Pick<CatalogPort, 'start' | 'publish' | 'release'>

const isLive = andConditions(isThere, andConditions(isReadable, '#removed = :no'))

/** Creates the transitions of a stack: start, publication and end of a deployment. */
export function createPublishing(deps: CatalogDeps): StackTransitions {
  return {
    start: (id, input) => {
      const token = deps.random.uuid()
      return retryWhileRacing(() => start(deps, { id, token, ...input }))
    },
    publish: (id, expected, snapshot) =>
      retryWhileRacing(() => publish(deps, { id, expected, snapshot })),
    release: createRelease(deps),
  }
}

/** Retries with the current record when another writer was faster. */
async function retryWhileRacing<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < limits.racesMax; tries += 1) {
    const answer = await attempt()
    if (answer !== undefined) return answer
  }
  throw error('STORE_UNAVAILABLE', 'gave up changing the stack: it was updated concurrently')
}

async function start(
  { catalogTable, random }: CatalogDeps,
  input: Parameters<StackTransitions['start']>[1] & {
    readonly id: StackId
    readonly token: string
  },
): Promise<Awaited<ReturnType<StackTransitions['start']>> | undefined> {
  const { id, token, command, message, at } = input
  const stack = await requireStack(catalogTable, id)
  if (stack.current !== '') {
    const kind = stack.startToken === token ? 'started' : 'busy'
    return { kind, deployment: stack.current }
  }
  const number = stack.deployments + 1
  const deployment = deploymentIdOf(id, number)
  const begun: HistoryRecord = { deployment, command, message, startedAt: at }
  const change = {
    key: keys.stack(id),
    set: 'SET #current = :deployment, #deployments = :number, #startToken = :token',
    condition: andConditions(isLive, '#current = :empty AND #deployments = :before'),
    values: {
      ...toItem({ deployment, number, token, empty: '', no: false, before: number - 1 }),
      ...formatAttributeOf('stack'),
    },
  }
  const line = { ...toItem({ begun: JSON.stringify(begun) }), ...formatAttributeOf('history') }
  const { isDone } = await transact(catalogTable, random, [
    { kind: 'change', change },
    { kind: 'put', key: keys.history(id, number), item: line, ifAbsent: true },
    // Retention finds the records of the deployment by this item.
    { kind: 'put', key: keys.kept(deployment), item: {}, ifAbsent: false },
  ])
  return isDone ? { kind: 'started', deployment } : undefined
}

async function publish(
  { catalogTable, random }: CatalogDeps,
  input: { readonly id: StackId; readonly expected: number; readonly snapshot: BlobHash },
): Promise<Awaited<ReturnType<StackTransitions['publish']>> | undefined> {
  const { id, expected, snapshot } = input
  const { version, snapshot: published } = await requireStack(catalogTable, id)
  const next = expected + 1
  if (version === next && published === snapshot) return { kind: 'already', version }
  if (version !== expected) return { kind: 'conflict', version }
  const change = {
    key: keys.stack(id),
    set: 'SET #version = :next, #snapshot = :snapshot',
    condition: andConditions(isLive, '#version = :expected'),
    values: { ...toItem({ next, snapshot, expected, no: false }), ...formatAttributeOf('stack') },
  }
  const item = { ...toItem({ blob: snapshot }), ...formatAttributeOf('snapshot') }
  const { isDone } = await transact(catalogTable, random, [
    { kind: 'change', change },
    { kind: 'put', key: keys.version(id, next), item, ifAbsent: false },
  ])
  return isDone ? { kind: 'published', version: next } : undefined
}

function createRelease({ catalogTable, random }: CatalogDeps): StackTransitions['release'] {
  return async (deployment, { at: endedAt, ...end }) => {
    const { stack, number } = deploymentPartsOf(deployment)
    const ended = JSON.stringify({ endedAt, ...end })
    const values = { ...toItem({ deployment, empty: '', ended }), ...formatAttributeOf('stack') }
    const leave = {
      key: keys.stack(stack),
      set: 'SET #current = :empty, #startToken = :empty',
      condition: andConditions(isReadable, '#current = :deployment'),
      values,
    }
    const note = {
      key: keys.history(stack, number),
      set: 'SET #ended = :ended',
      condition: andConditions(isThere, isReadable),
      values: { ...values, ...formatAttributeOf('history') },
    }
    const done = await transact(catalogTable, random, [
      { kind: 'change', change: leave },
      { kind: 'change', change: note },
    ])
    if (done.isDone) return
    const [isOver, isLost] = done.refused
    if (isOver?.isRefused === true) {
      if (isOver.existing !== undefined)
        requireReadableItem('stack', { id: stack }, isOver.existing)
      return
    }
    if (isLost?.existing !== undefined)
      requireReadableItem('history', { stack, number }, isLost.existing)
    // A lost history entry must not block the stack.
    else await updateItem(catalogTable, leave)
  }
}

/** Returns the record of an existing stack. Throws STACK_NOT_FOUND. */
async function requireStack(catalogTable: Table, id: StackId): Promise<KeptStack> {
  const stack = parseStackItem(id, await getItem(catalogTable, keys.stack(id)))
  if (stack === undefined) throw error('STACK_NOT_FOUND', `the stack ${id} does not exist`)
  return stack
}
