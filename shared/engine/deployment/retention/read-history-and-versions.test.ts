import { expect, test } from 'vitest'
import { limits } from '../../../config/limits.ts'
import type { HistoryRecord, PublishedVersion } from '../../../ports/catalog.ts'
import type { BlobHash, EpochMs, StackId } from '../../../records/ids.ts'
import { deploymentIdOf, deploymentPartsOf } from '../../../records/ids.ts'
import {
  readHistoryRecord,
  readHistory,
  findPublishedVersion,
  readVersions,
} from './read-history-and-versions.ts'

const stack = 'organization/shop/prod' as StackId
const pageSize = limits.historyPageEntries

/**
 * Creates a catalog with `count` deployments and versions, of which every third version was
 * removed.
 */
function createHistory(count: number) {
  const requested: { readonly limit: number; readonly before?: number | undefined }[] = []
  const listNumbersBefore = (before = Infinity): readonly number[] =>
    Array.from({ length: count }, (_, index) => count - index).filter(number => number < before)
  const recordOf = (number: number): HistoryRecord => ({
    deployment: deploymentIdOf(stack, number),
    command: 'up',
    message: `of ${number}`,
    startedAt: number as EpochMs,
  })
  return {
    requested,
    listHistory: (_: StackId, limit: number, before?: number) => {
      requested.push({ limit, before })
      return Promise.resolve(listNumbersBefore(before).slice(0, limit).map(recordOf))
    },
    listVersions: (_: StackId, limit: number, before?: number) => {
      requested.push({ limit, before })
      const existingVersions = listNumbersBefore(before).filter(version => version % 3 !== 0)
      const toVersion = (version: number): PublishedVersion => ({
        version,
        snapshot: String(version).padStart(64, '0') as BlobHash,
      })
      return Promise.resolve(existingVersions.slice(0, limit).map(toVersion))
    },
  }
}

async function allOf<T>(entries: AsyncIterable<T>): Promise<readonly T[]> {
  const items: T[] = []
  for await (const entry of entries) items.push(entry)
  return items
}

const numbersOf = (entries: readonly HistoryRecord[]): readonly number[] =>
  entries.map(({ deployment }) => deploymentPartsOf(deployment).number)

test.each([0, 1, pageSize - 1, pageSize, pageSize + 1, 3 * pageSize])(
  'a history of length %i is returned completely, newest first, and read one page at a time',
  async count => {
    const catalog = createHistory(count)
    const numbers = numbersOf(await allOf(readHistory(catalog, stack)))
    expect(numbers).toEqual(Array.from({ length: count }, (_, index) => count - index))
    expect(catalog.requested.every(({ limit }) => limit === pageSize)).toBe(true)
    expect(catalog.requested.length).toBe(Math.floor(count / pageSize) + 1)
  },
)

test('a reader that stops early has read one page', async () => {
  const catalog = createHistory(5 * pageSize)
  for await (const { startedAt } of readHistory(catalog, stack, 3 * pageSize)) {
    expect(startedAt).toBe(3 * pageSize - 1)
    break
  }
  expect(catalog.requested).toEqual([{ limit: pageSize, before: 3 * pageSize }])
})

test('published versions are read in pages too, without the removed ones', async () => {
  const entries = await allOf(readVersions(createHistory(2 * pageSize), stack, 150))
  const versions = entries.map(({ version }) => version)
  expect(versions).toEqual(
    Array.from({ length: 149 }, (_, index) => 149 - index).filter(version => version % 3 !== 0),
  )
})

test('a single record or version is read without the others', async () => {
  const catalog = createHistory(3 * pageSize)
  expect((await readHistoryRecord(catalog, deploymentIdOf(stack, 7)))?.message).toBe('of 7')
  expect((await findPublishedVersion(catalog, stack, 8))?.version).toBe(8)
  expect(await findPublishedVersion(catalog, stack, 9)).toBeUndefined()
  expect(await findPublishedVersion(catalog, stack, 3 * pageSize + 1)).toBeUndefined()
  expect(catalog.requested.every(({ limit }) => limit === 1)).toBe(true)
})
