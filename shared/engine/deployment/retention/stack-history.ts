import { limits } from '../../../config/limits.ts'
import { error } from '../../../errors/error.ts'
import type { CatalogPort, HistoryRecord, PublishedVersion } from '../../../ports/catalog.ts'
import { type DeploymentId, deploymentPartsOf, type StackId } from '../../../records/ids.ts'

/** Reads the history entry of one deployment, and nothing else. */
export async function readHistoryLine(
  catalog: Pick<CatalogPort, 'listHistory'>,
  deployment: DeploymentId,
): Promise<HistoryRecord | undefined> {
  const { stack, number } = deploymentPartsOf(deployment)
  const [line] = await catalog.listHistory(stack, 1, number + 1)
  return line?.deployment === deployment ? line : undefined
}

/**
 * Reads one published version of a stack, and nothing else. Returns undefined when it was removed.
 */
export async function findPublishedVersion(
  catalog: Pick<CatalogPort, 'listVersions'>,
  stack: StackId,
  version: number,
): Promise<PublishedVersion | undefined> {
  const [found] = await catalog.listVersions(stack, 1, version + 1)
  return found?.version === version ? found : undefined
}

/**
 * Yields the history of a stack, newest first. A page is read when its first entry is requested.
 */
export async function* readHistory(
  catalog: Pick<CatalogPort, 'listHistory'>,
  stack: StackId,
  before?: number,
): AsyncGenerator<HistoryRecord, void> {
  const numberOf = ({ deployment }: HistoryRecord): number => deploymentPartsOf(deployment).number
  yield* readInPages(
    from => catalog.listHistory(stack, limits.pastPageLines, from),
    numberOf,
    before,
  )
}

/** Yields the published versions of a stack, newest first, with the same paging. */
export async function* readVersions(
  catalog: Pick<CatalogPort, 'listVersions'>,
  stack: StackId,
  before?: number,
): AsyncGenerator<PublishedVersion, void> {
  const readPage = (from?: number) => catalog.listVersions(stack, limits.pastPageLines, from)
  yield* readInPages(readPage, ({ version }) => version, before)
}

async function* readInPages<T>(
  readPage: (before?: number) => Promise<readonly T[]>,
  numberOf: (line: T) => number,
  before?: number,
): AsyncGenerator<T, void> {
  for (let from = before; ; ) {
    const lines = await readPage(from)
    yield* lines
    const last = lines.at(-1)
    if (last === undefined || lines.length < limits.pastPageLines) return
    const number = numberOf(last)
    if (from !== undefined && number >= from)
      throw error(
        'INTERNAL_ASSERTION',
        `a page of entries before ${from} contains number ${number}`,
      )
    from = number
  }
}
