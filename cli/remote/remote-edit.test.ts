import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { limits } from '../../shared/config/limits.ts'
import { createError } from '../../shared/errors/error.ts'
import type { ApiCall, ApiClient } from './api-client.ts'
import { editRemotely } from './remote-edit.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Creates a client whose DELETE calls `withdraw`. `readEnd` returns the end of the request. */
function createClient(withdraw: () => void, readEnd: () => unknown): Pick<ApiClient, 'call'> {
  return {
    call: async ({ method, path }: ApiCall) => {
      if (method === 'DELETE') withdraw()
      if (path.includes('/deployments/')) return { result: 'succeeded', version: 4 }
      return method === 'GET' ? { end: readEnd() } : {}
    },
  }
}

async function editUntilTimeout(client: Pick<ApiClient, 'call'>): Promise<unknown> {
  const editing = editRemotely(client, '/v1/stacks/shop/dev', {}).catch((thrown: unknown) => thrown)
  await vi.advanceTimersByTimeAsync(limits.editWaitMs + 1_000)
  return editing
}

test('an edit that no process begins in time is withdrawn, and its error states the cause', async () => {
  let withdrawn: unknown
  const withdraw = (): void => {
    withdrawn = { kind: 'refused', code: 'DEPLOYMENT_CANCELLED', message: 'withdrawn' }
  }
  expect(await editUntilTimeout(createClient(withdraw, () => withdrawn))).toMatchObject({
    code: 'REQUEST_EXPIRED',
    message: 'no process began the request within 300 s; the request was withdrawn',
  })
  expect(withdrawn).toBeDefined()
})

test('an edit that has begun when it is withdrawn returns its result', async () => {
  const edit = { version: 4, count: 1, notices: [] }
  let end: unknown
  const refuseWithdrawal = (): never => {
    end = { kind: 'started', deployment: 'organization/shop/dev/7', edit }
    throw createError('REQUEST_BEGUN', 'it started')
  }
  expect(await editUntilTimeout(createClient(refuseWithdrawal, () => end))).toEqual(edit)
})
