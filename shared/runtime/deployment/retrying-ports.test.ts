import { expect, test } from 'vitest'
import { requestCall } from '../../engine/call-limits/limit-record.ts'
import { createLimitRecords } from '../../engine/call-limits/limit-records.ts'
import { createError } from '../../errors/error.ts'
import type { DocumentsPort, StoredDocument } from '../../ports/documents.ts'
import type { DeploymentId, EpochMs, StackId } from '../../records/ids.ts'
import type { RunInput } from '../environment/run-input.ts'
import { withStoreRetry } from './retrying-ports.ts'

const clock = { now: () => 0 as EpochMs, monotonicMs: () => 0, sleep: async () => undefined }
const random = { bytes: () => new Uint8Array([128]) }

/** Creates ports whose methods do nothing, except for the records of limits. */
function createInput(callLimits: Pick<DocumentsPort, 'get' | 'putExpiring'>): RunInput {
  const createPorts = (fields: object): object =>
    new Proxy(fields, {
      get: (target, name) => Reflect.get(target, name) ?? createPorts(() => undefined),
    })
  const platform = createPorts({ callLimits, clock, random })
  return { platform, ports: createPorts({}) } as unknown as RunInput
}

test('reads and writes of a limit record are retried, and a write with a lost reply counts one call', async () => {
  let stored: StoredDocument | undefined
  let failures = 0
  const fail = (): never => {
    failures += 1
    throw createError('STORE_UNAVAILABLE', 'too many requests')
  }
  const input = createInput({
    get: async () => (failures === 0 ? fail() : stored),
    putExpiring: async ({ key, value, version }) => {
      if (version !== (stored?.version ?? 0)) return false
      stored = { key, value, version: version + 1 }
      return failures === 1 ? fail() : stored.version
    },
  })
  const { platform } = withStoreRetry(input, {
    shouldRetry: () => true,
    onOutage: () => undefined,
  })
  const records = createLimitRecords({ ...platform, clock, random, stack: 's' as StackId })
  const limit = { name: 'n', label: 'l', isShared: false, intervalMs: 0, burst: 1, concurrency: 1 }
  const call = { id: 'c', deployment: 'd' as DeploymentId, now: 0 }
  const decision = await records.change(limit, record => {
    const requested = requestCall(record, limit, call)
    return { record: requested.record, result: requested.decision.kind }
  })
  expect([decision, failures]).toEqual(['granted', 2])
  expect(stored?.value).toMatchObject({ calls: { c: expect.any(Number) } })
})
