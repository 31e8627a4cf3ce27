import { expect, test } from 'vitest'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Provider } from '../../providers/provider.ts'
import { createTestExecutor } from './test-executor.fixture.ts'

test('an executor that loses its lease while a plugin starts does not call the provider and gives the attempt back', async () => {
  const done: string[] = []
  let holds = true
  const executor = createTestExecutor(done, {
    async provider() {
      holds = false
      return { delete: async () => void done.push('delete') } as unknown as Provider
    },
    holdsLease: () => holds,
  })
  const message = { deployment: 'd' as DeploymentId, operations: [1 as OperationId] }
  await executor.runDelivery({ message, receipt: 'r', deliveries: 1 })
  expect(done).toEqual(['begin 1', 'give back 1', 'removed'])
})
