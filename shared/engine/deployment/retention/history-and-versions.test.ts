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
} from './history-and-versions.ts'

const stack = 'organization/shop/prod' as StackId
const size = limits.historyPageEntries

/**
 * Creates a catalog with `count` deployments and versions, of which every third version was
 * removed.
 */
function createHistory(count: number) {
  const requested: { readonly limit: number; readonly before?: number | undefined }[] = []
  const numbersBefore = (before = Infinity): readonly number[] =>
    Array.from({ length: count }, (_, index) => count - index).filter(number => number < before)
  const lineOf = (number: number): HistoryRecord => ({
    deployment: deploymentIdOf(stack, number),
    command: 'up',
    message: `of ${number}`,
    startedAt: number as EpochMs,
  })
  return {
    requested,
    listHistory: (_: StackId, limit: number, before?: number) => {
      requested.push({ limit, before })
      return Promise.resolve(numbersBefore(before).slice(0, limit).map(lineOf))
    },
    listVersions: (_: StackId, limit: number, before?: number) => {
      requested.push({ limit, before })
      const existingVersions = numbersBefore(before).filter(version => version % 3 !== 0)
      const entry = (version: number): PublishedVersion => ({
        version,
        snapshot: String(version).padStart(64, '0') as BlobHash,
      })
      return Promise.resolve(existingVersions.slice(0, limit).map(entry))
    },
  }
}

async function allOf<T>(lines: AsyncIterable<T>): Promise<readonly T[]> {
  const items: T[] = []
  for await (const line of lines) items.push(line)
  return items
}

const numbersOf = (lines: readonly HistoryRecord[]): readonly number[] =>
  lines.map(({ deployment }) => deploymentPartsOf(deployment).number)

test.each([0, 1, size - 1, size, size + 1, 3 * size])(
  'all of %i entries are returned once, newest first, with at most one page per read',
  async count => {
    const catalog = createHistory(count)
    const numbers = numbersOf(await allOf(readHistory(catalog, stack)))
    expect(numbers).toEqual(Array.from({ length: count }, (_, index) => count - index))
    expect(catalog.requested.every(({ limit }) => limit === size)).toBe(true)
    expect(catalog.requested.length).toBe(Math.floor(count / size) + 1)
  },
)

test('a reader that stops early has read one page', async () => {
  const catalog = createHistory(5 * size)
  for await (const { startedAt } of readHistory(catalog, stack, 3 * size)) {
    expect(startedAt).toBe(3 * size - 1)
    break
  }
  expect(catalog.requested).toEqual([{ limit: size, before: 3 * size }])
})

test('published versions are read in pages too, without the removed ones', async () => {
  const lines = await allOf(readVersions(createHistory(2 * size), stack, 150))
  const versions = lines.map(({ version }) => version)
  expect(versions).toEqual(
    Array.from({ length: 149 }, (_, index) => 149 - index).filter(version => version % 3 !== 0),
  )
})

test('a single entry or version is read without the others', async () => {
  const catalog = createHistory(3 * size)
  expect((await readHistoryRecord(catalog, deploymentIdOf(stack, 7)))?.message).toBe('of 7')
  expect((await findPublishedVersion(catalog, stack, 8))?.version).toBe(8)
  expect(await findPublishedVersion(catalog, stack, 9)).toBeUndefined()
  expect(await findPublishedVersion(catalog, stack, 3 * size + 1)).toBeUndefined()
  expect(catalog.requested.every(({ limit }) => limit === 1)).toBe(true)
})
