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
import { both, isReadable, isThere } from './expressions.ts'
import { itemOf } from './item.ts'
import { catalogKeys as keys } from './keys.ts'
import { type KeptStack, stackIn } from './stack-record.ts'
import { formatOf, readableItem } from './stored.ts'
import { getItem, type Table, updateItem } from './table.ts'
import { transact } from './transaction.ts'

/** What the catalog works with. */
export interface CatalogDeps {
  readonly catalog: Table
  readonly random: Pick<RandomPort, 'uuid'>
}

type Moves = Pick<CatalogPort, 'start' | 'publish' | 'release'>

const isLive = both(isThere, both(isReadable, '#removed = :no'))

/** What moves a stack on: the start of a deployment, its publication, its end. */
export function createPublishing(deps: CatalogDeps): Moves {
  return {
    start: (id, about) => {
      const token = deps.random.uuid()
      return whileRacing(() => start(deps, { id, token, ...about }))
    },
    publish: (id, expected, snapshot) =>
      whileRacing(() => publish(deps, { id, expected, snapshot })),
    release: releasing(deps),
  }
}

/** Tries again on what stands now when somebody else was faster. */
async function whileRacing<T>(once: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < limits.racesMax; tries += 1) {
    const answer = await once()
    if (answer !== undefined) return answer
  }
  throw error('STORE_UNAVAILABLE', 'a stack is changed by others all the time')
}

async function start(
  { catalog, random }: CatalogDeps,
  about: Parameters<Moves['start']>[1] & { readonly id: StackId; readonly token: string },
): Promise<Awaited<ReturnType<Moves['start']>> | undefined> {
  const { id, token, command, message, at } = about
  const stack = await knownStack(catalog, id)
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
    condition: both(isLive, '#current = :empty AND #deployments = :before'),
    values: {
      ...itemOf({ deployment, number, token, empty: '', no: false, before: number - 1 }),
      ...formatOf('stack'),
    },
  }
  const line = { ...itemOf({ begun: JSON.stringify(begun) }), ...formatOf('history') }
  const { isDone } = await transact(catalog, random, [
    { kind: 'change', change },
    { kind: 'put', key: keys.history(id, number), item: line, ifAbsent: true },
    // So that whoever removes records finds them.
    { kind: 'put', key: keys.kept(deployment), item: {}, ifAbsent: false },
  ])
  return isDone ? { kind: 'started', deployment } : undefined
}

async function publish(
  { catalog, random }: CatalogDeps,
  about: { readonly id: StackId; readonly expected: number; readonly snapshot: BlobHash },
): Promise<Awaited<ReturnType<Moves['publish']>> | undefined> {
  const { id, expected, snapshot } = about
  const { version, snapshot: published } = await knownStack(catalog, id)
  const next = expected + 1
  if (version === next && published === snapshot) return { kind: 'already', version }
  if (version !== expected) return { kind: 'conflict', version }
  const change = {
    key: keys.stack(id),
    set: 'SET #version = :next, #snapshot = :snapshot',
    condition: both(isLive, '#version = :expected'),
    values: { ...itemOf({ next, snapshot, expected, no: false }), ...formatOf('stack') },
  }
  const item = { ...itemOf({ blob: snapshot }), ...formatOf('snapshot') }
  const { isDone } = await transact(catalog, random, [
    { kind: 'change', change },
    { kind: 'put', key: keys.version(id, next), item, ifAbsent: false },
  ])
  return isDone ? { kind: 'published', version: next } : undefined
}

function releasing({ catalog, random }: CatalogDeps): Moves['release'] {
  return async (deployment, { at: endedAt, ...end }) => {
    const { stack, number } = deploymentPartsOf(deployment)
    const ended = JSON.stringify({ endedAt, ...end })
    const values = { ...itemOf({ deployment, empty: '', ended }), ...formatOf('stack') }
    const leave = {
      key: keys.stack(stack),
      set: 'SET #current = :empty, #startToken = :empty',
      condition: both(isReadable, '#current = :deployment'),
      values,
    }
    const note = {
      key: keys.history(stack, number),
      set: 'SET #ended = :ended',
      condition: both(isThere, isReadable),
      values: { ...values, ...formatOf('history') },
    }
    const done = await transact(catalog, random, [
      { kind: 'change', change: leave },
      { kind: 'change', change: note },
    ])
    if (done.isDone) return
    const [isOver, isLost] = done.refused
    if (isOver?.isRefused === true) {
      if (isOver.stands !== undefined) readableItem('stack', { id: stack }, isOver.stands)
      return
    }
    if (isLost?.stands !== undefined) readableItem('history', { stack, number }, isLost.stands)
    // A history that was lost must not keep the stack from going on.
    else await updateItem(catalog, leave)
  }
}

/** The record of a stack that must be there. Throws STACK_NOT_FOUND. */
async function knownStack(catalog: Table, id: StackId): Promise<KeptStack> {
  const stack = stackIn(id, await getItem(catalog, keys.stack(id)))
  if (stack === undefined) throw error('STACK_NOT_FOUND', `there is no stack ${id}`)
  return stack
}
