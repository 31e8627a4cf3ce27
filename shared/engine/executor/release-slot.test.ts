import { expect, test } from 'vitest'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Provider } from '../../providers/provider.ts'
import { createError } from '../../errors/error.ts'
import { createTestExecutor } from './test-executor.fixture.ts'

/**
 * Runs a delete for each of `ids` with one slot. A delete may be repeated, so the next one begins
 * early. Returns the begins, calls, ends and the removal of the message, in order.
 */
async function runWithOneSlot(
  ids: readonly number[],
  operations: Parameters<typeof createTestExecutor>[1]['operations'],
  failure?: Error,
): Promise<readonly string[]> {
  const actions: string[] = []
  const provider = {
    async delete() {
      actions.push('delete')
      if (failure !== undefined) throw failure
    },
  } as unknown as Provider
  const executor = createTestExecutor(actions, {
    ...(operations === undefined ? {} : { operations }),
    provider: async () => provider,
  })
  const message = { deployment: 'd' as DeploymentId, operations: ids as OperationId[] }
  await executor.runDelivery({ message, receipt: 'r', deliveries: 1 })
  return actions
}

test('an operation calls its provider while the outcome of the previous one is stored, also with one slot', async () => {
  const secondStored = Promise.withResolvers<void>()
  const actions = await runWithOneSlot([1, 2], {
    async putOutcome(_, { operation }) {
      if (operation === 2) secondStored.resolve()
      else await secondStored.promise
    },
  })
  expect(actions.slice(0, 4)).toEqual(['begin 1', 'begin 2', 'delete', 'delete'])
  expect(actions.slice(4)).toEqual(expect.arrayContaining(['end 1', 'end 2', 'removed']))
})

/**
 * Creates a store that is full from the first outcome: it refuses that and the following writes,
 * `count` in all. `writes` lists all writes.
 */
function createFullStore(count: number) {
  const writes: string[] = []
  let remainingCount = count
  let isFull = false
  const write = async (name: string): Promise<void> => {
    await new Promise<void>(resolve => setImmediate(resolve))
    isFull ||= name.startsWith('outcome')
    const isRefused = isFull && remainingCount > 0
    if (isRefused) remainingCount -= 1
    writes.push(isRefused ? `${name} refused` : name)
    if (isRefused) throw createError('STORE_UNAVAILABLE', 'the disk is full')
  }
  const operations: Parameters<typeof createTestExecutor>[1]['operations'] = {
    async begin(_, operation) {
      await write(`begin ${operation}`)
      return { kind: 'begun', attempt: 1 }
    },
    putOutcome: (_, { operation }) => write(`outcome ${operation}`),
    async select(_, operation) {
      await write(`end ${operation}`)
      return true
    },
  }
  return { writes, operations }
}

test('no operation begins while an outcome cannot be stored', async () => {
  const { writes, operations } = createFullStore(5)
  const actions = await runWithOneSlot([1, 2, 3], operations)
  expect(writes).toEqual([
    ...['begin 1', 'begin 2'],
    ...['outcome 1 refused', 'begin 3 refused', 'outcome 2 refused', 'outcome 1 refused'],
    ...['outcome 2 refused', 'outcome 1', 'outcome 2', 'end 1'],
    ...['begin 3', 'end 2', 'outcome 3', 'end 3'],
  ])
  expect(actions).toEqual(['delete', 'delete', 'delete', 'removed'])
})

test('an operation does not call its provider before the failure of the previous one is recorded', async () => {
  const actions = await runWithOneSlot([1, 2], {}, new Error('refused'))
  expect(actions).toEqual(['begin 1', 'begin 2', 'delete', 'end 1', 'delete', 'end 2', 'removed'])
})
