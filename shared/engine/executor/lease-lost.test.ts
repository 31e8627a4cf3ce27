import { expect, test } from 'vitest'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import type { Provider } from '../../providers/provider.ts'
import { createTestExecutor } from './test-executor.fixture.ts'

test('an executor that loses its lease while a plugin starts does not call the provider and gives the attempt back', async () => {
  const actions: string[] = []
  let hasLease = true
  const executor = createTestExecutor(actions, {
    async provider() {
      hasLease = false
      return { delete: async () => void actions.push('delete') } as unknown as Provider
    },
    holdsLease: () => hasLease,
  })
  const message = { deployment: 'd' as DeploymentId, operations: [1 as OperationId] }
  await executor.runDelivery({ message, receipt: 'r', deliveries: 1 })
  expect(actions).toEqual(['begin 1', 'give back 1', 'removed'])
})
