import { expect, test } from 'vitest'
import type { EnginePort } from '../../local/engine-port.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { CheckStacks } from './check-stacks.ts'
import { checkPark } from './deployment-checks.ts'

const id = 'organization/verify/park' as StackId
const stacks: CheckStacks = {
  create: async () => ({ id, path: '/v1/stacks/verify/park', up: async () => undefined }),
  removeAll: async () => [],
}

/** Returns an API whose journal has the take-overs of this number of generator runs. */
function createJournalApi(runs: number): EnginePort {
  const items = Array.from({ length: runs }, () => ({
    decisions: [{ kind: 'takeover' }, { kind: 'registration' }],
  }))
  return { callApi: async () => ({ items }) } as unknown as EnginePort
}

test('checkPark passes only if a second generator run continued the deployment', async () => {
  expect(await checkPark({ engine: createJournalApi(1), stacks })).toMatchObject({
    result: 'not-seen',
  })
  const outcome = await checkPark({ engine: createJournalApi(2), stacks })
  expect(outcome.result).toBe('passed')
  expect(outcome.message).toMatch(/^2 generator runs shared a deployment/)
})
