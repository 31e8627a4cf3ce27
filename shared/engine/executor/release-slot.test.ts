import { expect, test } from 'vitest'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Provider } from '../../providers/provider.ts'
import { createTestExecutor } from './test-executor.fixture.ts'

const message = {
  deployment: 'd' as DeploymentId,
  operations: [1 as OperationId, 2 as OperationId],
}

/** Runs the deletes of two operations with one slot. Returns the calls in their order. */
async function runWithOneSlot(
  operations: Parameters<typeof createTestExecutor>[1]['operations'],
  failure?: Error,
): Promise<readonly string[]> {
  const done: string[] = []
  const provider = {
    async delete() {
      done.push('delete')
      if (failure !== undefined) throw failure
    },
  } as unknown as Provider
  const executor = createTestExecutor(done, {
    ...(operations === undefined ? {} : { operations }),
    provider: async () => provider,
  })
  await executor.runDelivery({ message, receipt: 'r', deliveries: 1 })
  return done
}

test('an operation begins when the outcome of the previous one is stored, before it has ended', async () => {
  const secondStored = Promise.withResolvers<void>()
  const done = await runWithOneSlot({
    async putOutcome(_, { operation }) {
      if (operation === 2) secondStored.resolve()
    },
    async select(_, operation) {
      if (operation === 1) await secondStored.promise
      return true
    },
  })
  expect(done).toEqual(['begin 1', 'delete', 'begin 2', 'delete', 'removed'])
})

test('an operation does not begin before the outcome of the previous one is stored', async () => {
  const stored: string[] = []
  const done = await runWithOneSlot({
    async putOutcome(_, { operation }) {
      await new Promise<void>(resolve => setImmediate(resolve))
      stored.push(`outcome ${operation}`)
    },
    async begin(_, operation) {
      stored.push(`begin ${operation}`)
      return { kind: 'begun', attempt: 1 }
    },
  })
  expect(stored).toEqual(['begin 1', 'outcome 1', 'begin 2', 'outcome 2'])
  expect(done).toContain('removed')
})

test('an operation does not begin before the failure of the previous one is recorded', async () => {
  const done = await runWithOneSlot({}, new Error('refused'))
  expect(done).toEqual(['begin 1', 'delete', 'end 1', 'begin 2', 'delete', 'end 2', 'removed'])
})
