import type { LimitableCall } from '../../shared/engine/call-limits/match-limits.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type CallLimiterDeps,
  createCallLimiter,
} from '../../shared/engine/call-limits/call-limiter.ts'
import { deploymentIdOf, type OperationId, stackIdOf } from '../../shared/records/ids.ts'
import { openTestApi, shop, shopPath, type TestApi } from './api.fixture.ts'

let api: TestApi
beforeAll(async () => {
  api = await openTestApi()
})
afterAll(() => api.close())

/** Starts one create of a stack under the rule of a limit. The create does not end. */
async function startCreate(
  stack: typeof shop,
  rule: CallLimiterDeps['rules'][number],
  type: string,
): Promise<void> {
  const limiter = createCallLimiter({
    ...api.platform,
    stack,
    deployment: deploymentIdOf(stack, 1),
    control: { read: async () => ({ stop: 'none', closed: false }) as never },
    rules: [rule],
    report: () => undefined,
    waitMaxMs: 0,
  })
  const call: LimitableCall = {
    call: 'create',
    type,
    readInputs: async () => [],
    isBegun: async () => false,
    onWait: () => undefined,
  }
  await limiter.acquire(1 as OperationId, call)
}

const readLimits = async (token: string, path = shopPath): Promise<unknown> =>
  (await api.call(token, `GET ${path}/limits`)).json()

test('a stack shows its own limits, and the shared limits that it uses', async () => {
  const token = await api.issueToken('read')
  expect(await readLimits(token)).toEqual({ items: [] })
  await startCreate(shop, { provider: 'aws', concurrency: 3 }, 'aws:a:B')
  await startCreate(shop, { type: '*', key: 'account', rate: { calls: 5, perMs: 1_000 } }, 'x:a:B')
  const other = stackIdOf('other', 'dev')
  await startCreate(other, { type: '*', key: 'foreign', rate: { calls: 1, perMs: 1_000 } }, 'x:a:B')
  expect(await readLimits(token)).toEqual({
    items: [
      {
        label: 'account',
        shared: true,
        callsPerSecond: 5,
        slowed: false,
        // A limit without `concurrency` does not count running calls.
        running: 0,
        deployments: 1,
      },
      {
        label: 'aws',
        shared: false,
        slowed: false,
        concurrency: 3,
        running: 1,
        deployments: 1,
      },
    ],
  })
})

test('a token of another stack reads no limits', async () => {
  const token = await api.issueToken('read', ['other/dev'])
  expect((await api.call(token, `GET ${shopPath}/limits`)).status).toBe(403)
})
