import { describe, expect, test } from 'vitest'
import type { Control, Lease } from '../../shared/records/head.ts'
import type { Holder } from '../../shared/records/log.ts'
import { generatorLeaseIdOf } from '../../shared/engine/deployment/ownership/generator-lease-id.ts'
import { isHolderGone, observedHolderOf } from './watchdog.ts'

const holder: Holder = { host: 'h', pid: 1, started: 'life', who: 'w' }
const control: Control = { stop: 'none', holder, closed: false }

function createLease(fields: Partial<Lease> = {}): Lease {
  const executor = generatorLeaseIdOf(holder)
  return { executor, holder, counter: 3, retired: false, left: false, groups: [], ...fields }
}

describe('the holder of a deployment', () => {
  test.each([
    [
      'is alive if it renewed its lease after the nudge was sent',
      control,
      [createLease()],
      { life: 'life', renewals: 2 },
      false,
    ],
    [
      'is gone if the counter of its lease is unchanged since the nudge was sent',
      control,
      [createLease()],
      { life: 'life', renewals: 3 },
      true,
    ],
    ['is alive without a watchdog nudge', control, [createLease()], undefined, false],
    [
      'is not judged by a nudge for another generator run',
      control,
      [createLease()],
      { life: 'x', renewals: 3 },
      false,
    ],
    ['is gone if its lease is retired', control, [createLease({ retired: true })], undefined, true],
    ['may still be about to take its first lease', control, [], undefined, false],
    [
      'is gone if it still has no lease when the nudge arrives',
      control,
      [],
      { life: 'life', renewals: -1 },
      true,
    ],
    [
      'is alive if it took its first lease after the nudge was sent',
      control,
      [createLease()],
      { life: 'life', renewals: -1 },
      false,
    ],
    [
      'is gone if it handed over',
      { ...control, handedOver: { why: 'limit', pool: 'short', ended: 0 } },
      [createLease()],
      undefined,
      true,
    ],
  ] as const)('%s', (_what, currentControl, leases, observed, isGone) => {
    expect(isHolderGone(currentControl, leases, observed)).toBe(isGone)
  })

  test('is observed by its start, and by the counters of its lease and of the leases of executors', () => {
    const executorLeases = [createLease({ executor: 'another' as Lease['executor'], counter: 9 })]
    const executors = { another: 9 }
    expect(observedHolderOf(holder, [...executorLeases, createLease()])).toEqual({
      life: 'life',
      renewals: 3,
      executors,
    })
    expect(observedHolderOf(holder, executorLeases)).toEqual({
      life: 'life',
      renewals: -1,
      executors,
    })
    const retired = executorLeases.map(one => ({ ...one, retired: true }))
    expect(observedHolderOf(holder, retired)).toEqual({ life: 'life', renewals: -1, executors: {} })
  })
})
