import { expect, test } from 'vitest'
import type { CatalogPort, DeploymentStart, HistoryRecord } from '../ports/catalog.ts'
import type { BlobHash, DeploymentId, EpochMs, StackId } from '../records/ids.ts'
import { emptyDeployment } from '../state/empty-deployment.ts'
import {
  countImportedEntries,
  type ExportedEntry,
  toHistoryImports,
} from './import-exported-history.ts'
import { importHistory } from './import-history.ts'

const stack = 'organization/shop/dev' as StackId
const entries: readonly ExportedEntry[] = [1, 2, 3].map(number => ({
  command: 'up',
  message: `m${number}`,
  result: 'succeeded',
  changes: {},
  startedAt: (number * 10) as EpochMs,
  endedAt: (number * 10 + 5) as EpochMs,
  version: number,
}))

/** Opens a catalog in memory that fails at the call with the number `failsAt`. */
function openCatalog(failsAt = Infinity) {
  const records: HistoryRecord[] = []
  const versions: BlobHash[] = []
  let calls = 0
  const countCall = (): void => {
    calls += 1
    if (calls === failsAt) throw new Error('interrupted')
  }
  const catalog = {
    start: async (_: StackId, { at: startedAt, ...start }: DeploymentStart) => {
      countCall()
      const deployment = `${stack}/${records.length + 1}` as DeploymentId
      records.push({ deployment, startedAt, ...start })
      return { kind: 'started', deployment }
    },
    getStack: async () => ({ version: versions.length, snapshot: versions.at(-1) ?? '' }),
    publish: async (_: StackId, expected: number, snapshot: BlobHash) => {
      countCall()
      if (versions[expected] === undefined) versions.push(snapshot)
      return { kind: 'published', version: expected + 1 }
    },
    release: async (deployment: DeploymentId, end: Parameters<CatalogPort['release']>[1]) => {
      const { at: endedAt, result, changes, version } = end
      countCall()
      const index = records.findIndex(record => record.deployment === deployment)
      const record = records[index]
      if (record !== undefined) records[index] = { ...record, endedAt, result, changes, version }
    },
  } as unknown as CatalogPort
  return { catalog, records, versions }
}

const blobs = {
  put: async (bytes: Uint8Array) => `hash of ${Buffer.from(bytes).toString()}` as BlobHash,
}
const readVersion = async (version: number) => ({ ...emptyDeployment, metadata: { version } })

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9, Infinity])(
  'an import that was interrupted at its write %s continues without a second entry or version',
  async failsAt => {
    const { catalog, records, versions } = openCatalog(failsAt)
    const importAll = () =>
      importHistory({ catalog, blobs }, stack, {
        records: records.toReversed(),
        entries: toHistoryImports(entries, readVersion),
      })
    if (failsAt === Infinity) await importAll()
    else {
      await expect(importAll()).rejects.toThrow('interrupted')
      await importAll()
    }
    expect(records).toMatchObject(entries)
    expect(records).toHaveLength(entries.length)
    expect([versions.length, new Set(versions).size]).toEqual([3, 3])
  },
)

test.each([1, 2, 3, 4, 5, 6, 7, 8, 9])(
  'an import of equal versions that was interrupted at its write %s gives each entry its version',
  async failsAt => {
    const { catalog, records, versions } = openCatalog(failsAt)
    const importAll = () =>
      importHistory({ catalog, blobs }, stack, {
        records: records.toReversed(),
        entries: toHistoryImports(entries, () => readVersion(1)),
      })
    await expect(importAll()).rejects.toThrow('interrupted')
    await importAll()
    expect(versions).toHaveLength(3)
    expect(records.map(({ version }) => version)).toEqual(entries.map(({ version }) => version))
  },
)

test('countImportedEntries recognizes the first entries of an export, and refuses other deployments', () => {
  const recordOf = (entry: ExportedEntry): HistoryRecord => ({
    ...entry,
    deployment: 'x' as DeploymentId,
  })
  const records = entries.map(recordOf)
  expect(countImportedEntries([], entries)).toBe(0)
  expect(countImportedEntries(records.slice(0, 2).toReversed(), entries)).toBe(2)
  expect(countImportedEntries(records.toReversed(), entries.slice(0, 2))).toBeUndefined()
  expect(
    countImportedEntries(
      [recordOf({ command: 'up', message: '', startedAt: 7 as EpochMs })],
      entries,
    ),
  ).toBe(undefined)
})
