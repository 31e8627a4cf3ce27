import { expect, test } from 'vitest'
import { limits } from '../../../config/limits.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { LeasesPort } from '../../../ports/records.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { Lease } from '../../../records/head.ts'
import type { ExecutorId } from '../../../records/ids.ts'
import type { StoredDeployment } from '../../../state/stored.ts'
import { type LateWindowDeps, requireLateWindowOver } from './late-window.ts'

const holder = { host: 'here', pid: 1, started: 'then', who: 'a test' }
const lease: Lease = {
  executor: 'e' as ExecutorId,
  holder,
  counter: 1,
  retired: true,
  left: false,
  groups: [{ pid: 77, started: 'then' }],
}
const resource = { urn: 'urn:pulumi:dev::p::t:m:T::a', custom: true, type: 't:m:T' }
const origin = { deployment: 'organization/p/dev/1', operation: 4, attempt: 1 }
const state: StoredDeployment = {
  manifest: { time: '', magic: '', version: '' },
  pending_operations: [{ resource, type: 'creating', origin }],
  metadata: {},
}
const endedAt = 1_000_000
/**
 * Creates the ports. `alivePid`: the only living process; undefined if the host cannot be checked.
 * `left`: whether the executor has ended all its operations.
 */
const createDeps = (
  alivePid: number | undefined,
  nowMs = endedAt,
  left = false,
): LateWindowDeps => ({
  leases: {
    list: async () => [{ ...lease, left }],
  } satisfies Partial<LeasesPort> as unknown as LeasesPort,
  catalog: {
    listHistory: async () => [{ deployment: origin.deployment, endedAt }],
  } as unknown as CatalogPort,
  clock: { now: () => nowMs } as unknown as ClockPort,
  isAlive: ({ pid }) => (alivePid === undefined ? undefined : pid === alivePid),
})

test('a pending create whose plugin is still running cannot be cleared', async () => {
  await expect(requireLateWindowOver(createDeps(77), state)).rejects.toMatchObject({
    code: 'PENDING_STILL_RUNS',
  })
  await expect(requireLateWindowOver(createDeps(77), state, resource.urn)).rejects.toThrow(
    'process 77',
  )
})

test('a pending create without running processes can be cleared, regardless of other creates', async () => {
  await requireLateWindowOver(createDeps(1), state)
  await requireLateWindowOver(createDeps(77), state, 'urn:pulumi:dev::p::t:m:T::b')
  const withoutOrigin = [{ resource, type: 'creating' }]
  await requireLateWindowOver(createDeps(77), { ...state, pending_operations: withoutOrigin })
})

test('a pending create can be cleared when its executors ended all their operations', async () => {
  await requireLateWindowOver(createDeps(undefined, endedAt, true), state)
  await requireLateWindowOver(createDeps(77, endedAt, true), state)
})

test('a pending create of an unreachable host can be cleared after the late window', async () => {
  const soon = createDeps(undefined, endedAt + limits.lateWindowMs - 1)
  await expect(requireLateWindowOver(soon, state)).rejects.toThrow(
    "its host 'here' cannot be checked",
  )
  await requireLateWindowOver(createDeps(undefined, endedAt + limits.lateWindowMs), state)
})
