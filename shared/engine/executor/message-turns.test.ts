import { expect, test } from 'vitest'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Provider } from '../../providers/provider.ts'
import { createTestExecutor } from './test-executor.fixture.ts'

test('the operations of a message begin before those of a message that is delivered later', async () => {
  const calls: string[] = []
  const executor = createTestExecutor(calls, {
    provider: async () => ({ delete: async () => undefined }) as unknown as Provider,
  })
  // More operations than a process loads at the same time.
  const [first, second] = [0, 1_000].map(start =>
    Array.from({ length: 300 }, (_, index) => (start + index + 1) as OperationId),
  ) as [OperationId[], OperationId[]]
  const run = (operations: readonly OperationId[]) =>
    executor.runDelivery({
      message: { deployment: 'd' as DeploymentId, operations },
      receipt: 'r',
      deliveries: 1,
    })
  await Promise.all([run(first), run(second)])
  const begins = calls.filter(call => call.startsWith('begin '))
  expect(begins).toEqual([...first, ...second].map(id => `begin ${id}`))
})
