import { expect, test } from 'vitest'
import type { StackId } from '../../shared/records/ids.ts'
import { reconcileStacks } from './reconcile-stacks.ts'

const id = (name: string): StackId => `organization/p/${name}` as StackId

test('stacks with a deployment or a request are nudged, but not idle and unreadable ones', async () => {
  const nudged: StackId[] = []
  const stacks = [
    { id: id('idle'), current: '' },
    { id: id('running'), current: 'organization/p/running/1' },
    { id: id('requested'), current: '' },
    {
      ...{ id: id('targeted'), current: 'organization/p/targeted/1' },
      targeted: [1, 2].map(number => ({ deployment: `organization/p/targeted/${number}` })),
    },
  ]
  const reconciled = await reconcileStacks({
    catalog: {
      listStacks: async () =>
        ({ stacks, unreadable: [{ id: id('bad'), reason: new Error('damaged') }] }) as never,
    },
    requests: {
      listWaiting: async stack => (stack === id('requested') ? [{} as never] : []),
      removeEnded: async before => (before === 100 ? 2 : 0),
    },
    nudges: { nudge: async stack => void nudged.push(stack) },
    documents: { list: async () => ({ documents: [], unreadable: [], next: undefined }) },
    clock: { now: () => (30 * 24 * 3_600_000 + 100) as never },
  })
  expect(nudged).toEqual([id('running'), id('requested'), id('targeted')])
  expect(reconciled).toEqual({
    nudgedStacks: nudged,
    unreadableStacks: [id('bad')],
    removedRequestCount: 2,
    openDeployments: ['running/1', 'targeted/1', 'targeted/2'].map(id),
  })
})
