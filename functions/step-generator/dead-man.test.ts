import { describe, expect, test } from 'vitest'
import type { Control, Lease } from '../../shared/records/head.ts'
import type { Holder } from '../../shared/records/log.ts'
import { leaseIdOf } from '../../shared/engine/deployment/generator-lease.ts'
import { isGone, seenOf } from './dead-man.ts'

const holder: Holder = { host: 'h', pid: 1, started: 'life', who: 'w' }
const control: Control = { stop: 'none', holder, closed: false }

function lease(about: Partial<Lease> = {}): Lease {
  const executor = leaseIdOf(holder)
  return { executor, holder, counter: 3, retired: false, left: false, groups: [], ...about }
}

describe('whether the holder of a deployment is gone', () => {
  test.each([
    ['one that renewed since lives', control, [lease()], { life: 'life', renewals: 2 }, false],
    [
      'one that stands as it stood is gone',
      control,
      [lease()],
      { life: 'life', renewals: 3 },
      true,
    ],
    ['without a nudge of its own it lives', control, [lease()], undefined, false],
    ['a nudge of another life says nothing', control, [lease()], { life: 'x', renewals: 3 }, false],
    ['one that retired is gone', control, [lease({ retired: true })], undefined, true],
    ['one that never had a lease may yet get it', control, [], undefined, false],
    ['one that has none still is gone', control, [], { life: 'life', renewals: -1 }, true],
    ['one that got it meanwhile lives', control, [lease()], { life: 'life', renewals: -1 }, false],
    [
      'one that handed over is gone',
      { ...control, handedOver: { why: 'limit', pool: 'short', ended: 0 } },
      [lease()],
      undefined,
      true,
    ],
  ] as const)('%s', (_what, held, leases, seen, gone) => {
    expect(isGone(held, leases, seen)).toBe(gone)
  })

  test('what is seen of it is its life and the counter of its lease', () => {
    const others = [lease({ executor: 'another' as Lease['executor'], counter: 9 })]
    const executors = { another: 9 }
    expect(seenOf(holder, [...others, lease()])).toEqual({ life: 'life', renewals: 3, executors })
    expect(seenOf(holder, others)).toEqual({ life: 'life', renewals: -1, executors })
    const retired = others.map(one => ({ ...one, retired: true }))
    expect(seenOf(holder, retired)).toEqual({ life: 'life', renewals: -1, executors: {} })
  })
})
