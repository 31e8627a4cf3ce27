import { expect, test } from 'vitest'
import { ProviderError } from '../../providers/provider-error.ts'
import type { Provider } from '../../providers/provider.ts'
import type { Outcome } from '../../records/head.ts'
import type { DeploymentId, OperationId } from '../../records/ids.ts'
import { createTestExecutor } from './test-executor.fixture.ts'

/** Runs a delete whose first `unsentCount` requests are not sent. Returns its outcome. */
async function runDelete(unsentCount: number): Promise<Outcome | undefined> {
  let remainingCount = unsentCount
  let nowMs = 0
  let outcome: Outcome | undefined
  const provider = {
    async delete() {
      nowMs += 1_000
      remainingCount -= 1
      if (remainingCount >= 0)
        throw new ProviderError('no connection', { status: 'ok', code: 14, isRequestUnsent: true })
    },
  } as unknown as Provider
  const executor = createTestExecutor([], {
    provider: async () => provider,
    operations: { putOutcome: async (_, stored) => void (outcome = stored) },
    monotonicMs: () => nowMs,
    beforeRetry: async () => void (nowMs += 300),
  })
  const message = { deployment: 'd' as DeploymentId, operations: [1 as OperationId] }
  await executor.runDelivery({ message, receipt: 'r', deliveries: 1 })
  return outcome
}

test('an outcome has the sum of the pauses before retries of its call', async () => {
  expect(await runDelete(2)).toMatchObject({ verdict: 'succeeded', pausedMs: 600 })
})

test('an outcome of a call without retries has no pauses', async () => {
  const outcome = await runDelete(0)
  expect(outcome).toMatchObject({ verdict: 'succeeded' })
  expect(outcome).not.toHaveProperty('pausedMs')
})
