import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ProviderError } from '../../providers/provider-error.ts'
import type { Provider } from '../../providers/provider.ts'
import type { DeploymentId, EpochMs, OperationId } from '../../records/ids.ts'
import type { CallLimiterDeps } from '../call-limits/call-limiter.ts'
import { createTestExecutor } from './test-executor.fixture.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'Date'] }))
afterEach(() => void vi.useRealTimers())

const sleep = (ms: number) => new Promise<void>(resolve => setTimeout(resolve, ms))

/** Creates a store of limit records in memory, whose requests take a millisecond. */
function createLimitDocuments(): CallLimiterDeps['callLimits'] {
  const documents = new Map<string, Awaited<ReturnType<CallLimiterDeps['callLimits']['get']>>>()
  return {
    async get({ name }) {
      await sleep(1)
      return documents.get(name)
    },
    async putExpiring(document) {
      await sleep(1)
      const { name } = document.key
      if (document.version !== (documents.get(name)?.version ?? 0)) return false
      const version = document.version + 1
      documents.set(name, { ...document, version })
      return version
    },
  }
}

/**
 * Runs four operations with one slot in simulated time. The provider throttles the first one, and
 * refuses the others. Returns the starts of their calls in seconds since the first one, and the
 * other actions in order.
 */
async function runThrottled(op: 'create' | 'delete') {
  const starts: number[] = []
  const actions: string[] = []
  const call = async () => {
    starts.push(Date.now())
    await sleep(10)
    const message = starts.length === 1 ? 'TooManyRequests' : 'refused'
    throw new ProviderError(message, { status: 'ok', code: 2 })
  }
  const executor = createTestExecutor(actions, {
    op,
    callLimits: createLimitDocuments(),
    clock: { now: () => Date.now() as EpochMs, sleep },
    operations: { getHeads: async () => new Map() },
    provider: async () => ({ [op]: call }) as unknown as Provider,
  })
  const message = { deployment: 'd' as DeploymentId, operations: [1, 2, 3, 4] as OperationId[] }
  const delivered = executor.runDelivery({ message, receipt: 'r', deliveries: 1 })
  await vi.runAllTimersAsync()
  await delivered
  return { starts: starts.map(at => Math.round((at - (starts[0] ?? 0)) / 1_000)), actions }
}

test('after a throttled call, creates that already waited for a slot start at the lowered rate', async () => {
  const { starts, actions } = await runThrottled('create')
  expect(starts).toEqual([0, 0, 2, 4])
  // They wait before they begin.
  expect(actions).toEqual([...[1, 2, 3, 4].flatMap(id => [`begin ${id}`, `end ${id}`]), 'removed'])
})

test('after a throttled call, a delete that began early gives its begin back and waits too', async () => {
  const { starts, actions } = await runThrottled('delete')
  // The lowered rate is half of the starts before it: of the first delete and the early begin.
  expect(starts).toEqual([0, 0, 1, 2])
  expect(actions.slice(0, 4)).toEqual(['begin 1', 'begin 2', 'end 1', 'give back 2'])
  expect(actions.slice(-3)).toEqual(['begin 2', 'end 2', 'removed'])
})
