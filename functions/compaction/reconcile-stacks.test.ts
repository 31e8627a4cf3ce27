import { expect, test } from 'vitest'
import type { StackId } from '../../shared/records/ids.ts'
import { reconcileStacks } from './reconcile-stacks.ts'

const idOf = (name: string): StackId => `organization/p/${name}` as StackId

test('stacks with a deployment or a request are nudged, but not idle and unreadable ones', async () => {
  const nudged: StackId[] = []
  const stacks = [
    { id: idOf('idle'), current: '' },
    { id: idOf('running'), current: 'organization/p/running/1' },
    { id: idOf('requested'), current: '' },
    {
      ...{ id: idOf('targeted'), current: 'organization/p/targeted/1' },
      targeted: [1, 2].map(number => ({ deployment: `organization/p/targeted/${number}` })),
    },
  ]
  const reconciled = await reconcileStacks({
    catalog: {
      listStacks: async () =>
        ({ stacks, unreadable: [{ id: idOf('bad'), reason: new Error('damaged') }] }) as never,
    },
    requests: {
      listWaiting: async stack => (stack === idOf('requested') ? [{} as never] : []),
      removeEnded: async before => (before === 100 ? 2 : 0),
    },
    nudges: { nudge: async stack => void nudged.push(stack) },
    documents: { list: async () => ({ documents: [], unreadable: [], next: undefined }) },
    // Ended requests are removed after 30 days.
    clock: { now: () => (30 * 24 * 3_600_000 + 100) as never },
  })
  expect(nudged).toEqual([idOf('running'), idOf('requested'), idOf('targeted')])
  expect(reconciled).toEqual({
    nudgedStacks: nudged,
    unreadableStacks: [idOf('bad')],
    removedRequestCount: 2,
    openDeployments: ['running/1', 'targeted/1', 'targeted/2'].map(idOf),
  })
})
