import { limits } from '../../../config/limits.ts'
import { type DeployError, createError } from '../../../errors/error.ts'
import type { CatalogPort, HistoryRecord, PublishedVersion } from '../../../ports/catalog.ts'
import { type DeploymentId, deploymentPartsOf, type StackId } from '../../../records/ids.ts'

/**
 * Reads the history entry of one deployment, without reading other entries. Returns undefined if
 * the history has no such entry, for example because the stack was removed.
 */
export async function readHistoryRecord(
  catalog: Pick<CatalogPort, 'listHistory'>,
  deployment: DeploymentId,
): Promise<HistoryRecord | undefined> {
  const { stack, number } = deploymentPartsOf(deployment)
  const [record] = await catalog.listHistory(stack, 1, number + 1)
  return record?.deployment === deployment ? record : undefined
}

/**
 * Reads one published version of a stack, without reading other versions. Returns undefined when
 * the stack has no such version, or no longer has it.
 */
export async function findPublishedVersion(
  catalog: Pick<CatalogPort, 'listVersions'>,
  stack: StackId,
  version: number,
): Promise<PublishedVersion | undefined> {
  const [publishedVersion] = await catalog.listVersions(stack, 1, version + 1)
  return publishedVersion?.version === version ? publishedVersion : undefined
}

/**
 * Yields the history of a stack, newest first. A page is read when its first entry is requested.
 * `before`: only deployments with a lower number.
 */
export async function* readHistory(
  catalog: Pick<CatalogPort, 'listHistory'>,
  stack: StackId,
  before?: number,
): AsyncGenerator<HistoryRecord, void> {
  const numberOf = ({ deployment }: HistoryRecord): number => deploymentPartsOf(deployment).number
  yield* readInPages(
    pageBefore => catalog.listHistory(stack, limits.historyPageEntries, pageBefore),
    numberOf,
    before,
  )
}

/**
 * Yields the published versions of a stack below `before`, newest first, in pages like
 * `readHistory`.
 */
export async function* readVersions(
  catalog: Pick<CatalogPort, 'listVersions'>,
  stack: StackId,
  before?: number,
): AsyncGenerator<PublishedVersion, void> {
  const readPage = (pageBefore?: number) =>
    catalog.listVersions(stack, limits.historyPageEntries, pageBefore)
  yield* readInPages(readPage, ({ version }) => version, before)
}

/**
 * Returns the error for a version that a stack never had (MOMENT_UNKNOWN) or no longer has
 * (RECORDS_REMOVED). `newest`: the newest version. `hints`: the hint of each of the two errors.
 * Absent: the hints of the error catalogue.
 */
export function createMissingVersionError(
  version: number,
  newest: number,
  hints?: { readonly unknown: string; readonly removed: string },
): DeployError {
  const optionsOf = (hint: string | undefined) => (hint === undefined ? {} : { hint })
  return version > newest
    ? createError(
        'MOMENT_UNKNOWN',
        `the stack has no version ${version}; its newest is ${newest}`,
        optionsOf(hints?.unknown),
      )
    : createError(
        'RECORDS_REMOVED',
        `version ${version} of the stack was removed`,
        optionsOf(hints?.removed),
      )
}

async function* readInPages<T>(
  readPage: (before?: number) => Promise<readonly T[]>,
  numberOf: (entry: T) => number,
  before?: number,
): AsyncGenerator<T, void> {
  for (let pageBefore = before; ; ) {
    const entries = await readPage(pageBefore)
    yield* entries
    const lastEntry = entries.at(-1)
    if (lastEntry === undefined || entries.length < limits.historyPageEntries) return
    const number = numberOf(lastEntry)
    if (pageBefore !== undefined && number >= pageBefore)
      throw createError(
        'INTERNAL_ASSERTION',
        `a page of entries before ${pageBefore} contains number ${number}`,
      )
    pageBefore = number
  }
}
