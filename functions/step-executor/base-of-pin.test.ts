import { expect, test } from 'vitest'
import type { BlobsPort } from '../../shared/ports/records.ts'
import type { BlobHash } from '../../shared/records/ids.ts'
import type { Surroundings } from '../surroundings/surround.ts'
import { baseOfPin } from './base-of-pin.ts'

const text = JSON.stringify({ version: 3, deployment: { manifest: {}, resources: [] } })

/**
 * A blob store with a base that counts how often it is asked, and fails at first `failures` times.
 */
function counted(failures = 0) {
  let asked = 0
  const get: BlobsPort['get'] = async () => {
    asked += 1
    if (asked <= failures) throw new Error('the store has a bad moment')
    return Buffer.from(text)
  }
  const platform = { blobs: { get } as BlobsPort }
  const given = {
    platform,
    request: { secrets: { crypter: { decrypt: String } } },
  } as unknown as Parameters<typeof baseOfPin>[0]
  const baseNow: Surroundings['baseNow'] = {
    current: undefined,
    madeBefore: () => undefined,
    settled: () => undefined,
    extension: () => undefined,
  }
  const open = (epoch = 1) => baseOfPin(given, baseNow, { base: 'b' as BlobHash, epoch })
  return { open, asked: () => asked }
}

test('operations that ask at once have one base, which is read once and kept', async () => {
  const { open, asked } = counted()
  const [first, second] = await Promise.all([open(), open()])
  expect(first).toBe(second)
  expect(await open()).toBe(first)
  expect(asked()).toBe(1)
})

test('another epoch has another base', async () => {
  const { open, asked } = counted()
  const first = await open()
  expect(await open(2)).not.toBe(first)
  expect(asked()).toBe(2)
})

test('one that could not be read is read again', async () => {
  const { open, asked } = counted(1)
  await expect(open()).rejects.toThrow('bad moment')
  expect((await open()).epoch).toBe(1)
  expect(asked()).toBe(2)
})
