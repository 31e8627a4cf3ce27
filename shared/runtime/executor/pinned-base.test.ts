import { expect, test } from 'vitest'
import type { BlobsPort } from '../../ports/records.ts'
import type { BlobHash } from '../../records/ids.ts'
import type { RunEnvironment } from '../environment/run-environment.ts'
import { openPinnedBase } from './pinned-base.ts'

const text = JSON.stringify({ version: 3, deployment: { manifest: {}, resources: [] } })

/**
 * Creates a blob store with a base. It counts its reads, and its first `failures` reads fail. A read
 * first waits for `beforeRead`.
 */
function createCountingStore(failures = 0, beforeRead: () => Promise<void> = async () => {}) {
  let requests = 0
  const get: BlobsPort['get'] = async () => {
    requests += 1
    if (requests <= failures) throw new Error('the store is unavailable')
    await beforeRead()
    return Buffer.from(text)
  }
  const platform = { blobs: { get } as BlobsPort }
  const input = {
    platform,
    request: { secrets: { crypter: { decrypt: String } } },
  } as unknown as Parameters<typeof openPinnedBase>[0]
  const providerStateSources: RunEnvironment['providerStateSources'] = {
    currentBase: undefined,
    findInEarlierRuns: () => undefined,
    findInLogSoFar: () => undefined,
    findExtension: () => undefined,
  }
  const open = (epoch = 1) =>
    openPinnedBase(input, providerStateSources, { base: 'b' as BlobHash, epoch })
  return { open, requests: () => requests, providerStateSources }
}

test('concurrent operations share one base, which is read once and kept', async () => {
  const { open, requests } = createCountingStore()
  const [first, second] = await Promise.all([open(), open()])
  expect(first).toBe(second)
  expect(await open()).toBe(first)
  expect(requests()).toBe(1)
})

test('another epoch has another base', async () => {
  const { open, requests } = createCountingStore()
  const first = await open()
  expect(await open(2)).not.toBe(first)
  expect(requests()).toBe(2)
})

test('a failed read is repeated', async () => {
  const { open, requests } = createCountingStore(1)
  await expect(open()).rejects.toThrow('the store is unavailable')
  expect((await open()).epoch).toBe(1)
  expect(requests()).toBe(2)
})

// Providers are found in the cached base, so a base of an earlier epoch would hide later ones.
test('a late read of an earlier epoch does not replace the later base or its pending read', async () => {
  const reads: (() => void)[] = []
  const { open, requests, providerStateSources } = createCountingStore(
    0,
    () => new Promise(resolve => reads.push(resolve)),
  )
  const [earlier, later] = [open(1), open(2)]
  reads[0]?.()
  expect((await earlier).epoch).toBe(1)
  const joined = open(2)
  expect(requests()).toBe(2)
  reads[1]?.()
  expect(await joined).toBe(await later)
  const [latest, late] = [open(3), open(1)]
  reads[2]?.()
  await latest
  reads[3]?.()
  await late
  expect(providerStateSources.currentBase).toBe(await latest)
})
