import { describe, expect, test } from 'vitest'
import { type Provider } from './provider.ts'
import { ProviderError } from './provider-error.ts'
import { withUnsentRetry, retryUnsent } from './retry-unsent.ts'

const unsent = new ProviderError('no connection', {
  status: 'ok',
  code: 14,
  isRequestUnsent: true,
})

/**
 * Creates a provider whose reads fail with these errors, one after the other. Later reads return
 * how often its instance was requested. `messages` lists the reports of retries.
 */
function createFailingProvider(...failures: readonly (Error | undefined)[]) {
  const messages: string[] = []
  const remainingFailures = [...failures]
  let instanceCount = 0
  const provider = {
    read: async () => {
      const failure = remainingFailures.shift()
      if (failure !== undefined) throw failure
      return instanceCount
    },
  } as unknown as Provider
  return {
    messages,
    countInstances: () => instanceCount,
    provider,
    retryDeps: {
      getInstance: async () => {
        instanceCount += 1
        return provider
      },
      beforeRetry: async (retryIndex: number, reason: string) =>
        void messages.push(`${retryIndex} ${reason}`),
    },
  }
}

describe('a call that found no connection', () => {
  test('is retried with the current instance, and each retry is reported', async () => {
    const { retryDeps, messages } = createFailingProvider(unsent, unsent)
    expect(await retryUnsent(retryDeps, ({ read }) => read({} as never))).toBe(3)
    expect(messages).toEqual(['0 no connection', '1 no connection'])
  })

  test('fails after three attempts', async () => {
    const { retryDeps, countInstances } = createFailingProvider(unsent, unsent, unsent)
    await expect(retryUnsent(retryDeps, ({ read }) => read({} as never))).rejects.toBe(unsent)
    expect(countInstances()).toBe(3)
  })

  test('is retried automatically when it is a read', async () => {
    const { retryDeps, provider } = createFailingProvider(unsent)
    expect(await withUnsentRetry(provider, retryDeps).read({} as never)).toBe(2)
  })
})

test('a call that was refused, or may have reached the provider, is not retried', async () => {
  for (const status of ['ok', 'lost', 'unknown'] as const) {
    const failure = new ProviderError('no', { status, code: 14 })
    const { retryDeps, messages } = createFailingProvider(failure)
    await expect(retryUnsent(retryDeps, ({ read }) => read({} as never))).rejects.toBe(failure)
    expect(messages).toEqual([])
  }
})
