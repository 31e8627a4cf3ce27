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
  putOutcome: (operation: number) => Promise<void>,
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
    operations: { putOutcome: (_, { operation }) => putOutcome(operation) },
    provider: async () => provider,
  })
  await executor.runDelivery({ message, receipt: 'r', deliveries: 1 })
  return done
}

test('an operation begins while the outcome of the previous one is recorded, also with one slot', async () => {
  const secondRecorded = Promise.withResolvers<void>()
  const done = await runWithOneSlot(async operation => {
    if (operation === 2) secondRecorded.resolve()
    else await secondRecorded.promise
  })
  expect(done.slice(0, 4)).toEqual(['begin 1', 'delete', 'begin 2', 'delete'])
  expect(done.slice(4)).toEqual(expect.arrayContaining(['end 1', 'end 2', 'removed']))
})

test('an operation does not begin before the failure of the previous one is recorded', async () => {
  const done = await runWithOneSlot(async () => undefined, new Error('refused'))
  expect(done).toEqual(['begin 1', 'delete', 'end 1', 'begin 2', 'delete', 'end 2', 'removed'])
})
