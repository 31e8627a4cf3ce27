import { describe, expect, test } from 'vitest'
import type { Control, Lease } from '../../shared/records/head.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { type StuckDeps, progressKeyOf, findStuckDeployments } from './stuck-deployments.ts'

const minute = 60_000
const id = 'organization/p/s/1' as DeploymentId
const controlOf = (started: string): Control =>
  ({ stop: 'none', closed: false, holder: { started } }) as Control
const leaseOf = (executor: string, counter: number): Lease => ({ executor, counter }) as Lease

/**
 * Checks one deployment in each call, and returns for each call how many deployments are stuck (0
 * or 1). `at`: the minute of the call. `run`: the generator run that holds the deployment.
 * `renewals`: the counter of an executor's lease.
 */
async function countStuck(
  calls: readonly { readonly at: number; readonly run?: string; readonly renewals?: number }[],
): Promise<readonly number[]> {
  const marked = new Map<string, number>()
  const counts: number[] = []
  for (const { at, run = 'a', renewals = 7 } of calls) {
    // Minute 0 is the beginning of a period of half an hour.
    const now = 1_000 * 30 * minute + at * minute
    const deps: StuckDeps = {
      control: { read: async () => controlOf(run) },
      leases: { list: async () => [leaseOf('g', 1), leaseOf('x', renewals)] },
      marks: {
        mark: async (key, until) => (marked.set(key, until), true),
        isMarked: async key => (marked.get(key) ?? 0) > now,
      },
      clock: { now: () => now as never },
    }
    counts.push((await findStuckDeployments(deps, [id])).length)
  }
  return counts
}

describe('a deployment is stuck', () => {
  test.each([
    ['if it made no progress since the previous call', [{ at: 5 }, { at: 65 }], [0, 1]],
    [
      'if the calls come as late after each other as the window of the schedule allows',
      [{ at: 0 }, { at: 135 }],
      [0, 1],
    ],
    ['as long as there is no progress', [{ at: 5 }, { at: 65 }, { at: 125 }], [0, 1, 1]],
  ])('%s', async (_, calls, counts) => {
    expect(await countStuck(calls)).toEqual(counts)
  })
})

describe('a deployment is not stuck', () => {
  test.each([
    ['if a lease was renewed', [{ at: 5 }, { at: 65, renewals: 8 }], [0, 0]],
    ['if another generator run has taken it over', [{ at: 5 }, { at: 65, run: 'b' }], [0, 0]],
    ['if a call is only repeated shortly after the previous one', [{ at: 29 }, { at: 31 }], [0, 0]],
    ['if the previous call was a day ago', [{ at: 5 }, { at: 24 * 60 }], [0, 0]],
  ])('%s', async (_, calls, counts) => {
    expect(await countStuck(calls)).toEqual(counts)
  })
})

test('the progress key does not depend on the order of leases', () => {
  const [a, b] = [leaseOf('a', 1), leaseOf('b', 2)]
  expect(progressKeyOf(controlOf('x'), [a, b])).toBe(progressKeyOf(controlOf('x'), [b, a]))
  expect(progressKeyOf(undefined, [])).not.toBe(progressKeyOf(controlOf('x'), []))
})
