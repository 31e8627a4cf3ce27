import { describe, expect, test } from 'vitest'
import { type Provider } from './provider.ts'
import { ProviderError } from './provider-error.ts'
import { withUnsentRetry, retryUnsent } from './retry-unsent.ts'

const unsent = new ProviderError('no connection', {
  status: 'ok',
  code: 14,
  isRequestUnsent: true,
})

/** Creates a sequence of instances, and records the reports between their calls. */
function createScene(...failures: readonly (Error | undefined)[]) {
  const messages: string[] = []
  const failuresLeft = [...failures]
  let instances = 0
  const provider = {
    read: async () => {
      const failure = failuresLeft.shift()
      if (failure !== undefined) throw failure
      return instances
    },
  } as unknown as Provider
  return {
    messages,
    instances: () => instances,
    provider,
    reaching: {
      getInstance: async () => {
        instances += 1
        return provider
      },
      beforeRetry: async (number: number, why: string) => void messages.push(`${number} ${why}`),
    },
  }
}

describe('a call that found no connection', () => {
  test('is retried with the current instance, and each retry is reported', async () => {
    const { reaching, messages } = createScene(unsent, unsent)
    expect(await retryUnsent(reaching, ({ read }) => read({} as never))).toBe(3)
    expect(messages).toEqual(['0 no connection', '1 no connection'])
  })

  test('fails after three attempts', async () => {
    const { reaching, instances } = createScene(unsent, unsent, unsent)
    await expect(retryUnsent(reaching, ({ read }) => read({} as never))).rejects.toBe(unsent)
    expect(instances()).toBe(3)
  })

  test('is retried automatically when it is a read', async () => {
    const { reaching, provider } = createScene(unsent)
    expect(await withUnsentRetry(provider, reaching).read({} as never)).toBe(2)
  })
})

test('a call that was refused, or may have reached the provider, is not retried', async () => {
  for (const status of ['ok', 'lost', 'unknown'] as const) {
    const failure = new ProviderError('no', { status, code: 14 })
    const { reaching, messages } = createScene(failure)
    await expect(retryUnsent(reaching, ({ read }) => read({} as never))).rejects.toBe(failure)
    expect(messages).toEqual([])
  }
})
