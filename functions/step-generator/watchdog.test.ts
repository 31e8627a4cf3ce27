import { describe, expect, test } from 'vitest'
import type { Control, Lease } from '../../shared/records/head.ts'
import type { Holder } from '../../shared/records/log.ts'
import { generatorLeaseIdOf } from '../../shared/engine/deployment/ownership/generator-lease.ts'
import { isHolderGone, seenHolderOf } from './watchdog.ts'

const holder: Holder = { host: 'h', pid: 1, started: 'life', who: 'w' }
const control: Control = { stop: 'none', holder, closed: false }

function createLease(fields: Partial<Lease> = {}): Lease {
  const executor = generatorLeaseIdOf(holder)
  return { executor, holder, counter: 3, retired: false, left: false, groups: [], ...fields }
}

describe('whether the holder of a deployment is gone', () => {
  test.each([
    [
      'one that renewed since lives',
      control,
      [createLease()],
      { life: 'life', renewals: 2 },
      false,
    ],
    [
      'one that stands as it stood is gone',
      control,
      [createLease()],
      { life: 'life', renewals: 3 },
      true,
    ],
    ['without a nudge of its own it lives', control, [createLease()], undefined, false],
    [
      'a nudge of another life says nothing',
      control,
      [createLease()],
      { life: 'x', renewals: 3 },
      false,
    ],
    ['one that retired is gone', control, [createLease({ retired: true })], undefined, true],
    ['one that never had a lease may yet get it', control, [], undefined, false],
    ['one that has none still is gone', control, [], { life: 'life', renewals: -1 }, true],
    [
      'one that got it meanwhile lives',
      control,
      [createLease()],
      { life: 'life', renewals: -1 },
      false,
    ],
    [
      'one that handed over is gone',
      { ...control, handedOver: { why: 'limit', pool: 'short', ended: 0 } },
      [createLease()],
      undefined,
      true,
    ],
  ] as const)('%s', (_what, held, leases, seen, gone) => {
    expect(isHolderGone(held, leases, seen)).toBe(gone)
  })

  test('what is seen of it is its life and the counter of its lease', () => {
    const others = [createLease({ executor: 'another' as Lease['executor'], counter: 9 })]
    const executors = { another: 9 }
    expect(seenHolderOf(holder, [...others, createLease()])).toEqual({
      life: 'life',
      renewals: 3,
      executors,
    })
    expect(seenHolderOf(holder, others)).toEqual({ life: 'life', renewals: -1, executors })
    const retired = others.map(one => ({ ...one, retired: true }))
    expect(seenHolderOf(holder, retired)).toEqual({ life: 'life', renewals: -1, executors: {} })
  })
})
