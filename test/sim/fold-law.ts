import { isDeepStrictEqual } from 'node:util'
import {
  listExecutedOperations,
  createLogView,
} from '../../shared/engine/deployment/log/log-view.ts'
import { journalEntriesOf, fold } from '../../shared/journal/fold.ts'
import type { FoldInput } from '../../shared/journal/fold-input.ts'
import { replayEntries } from '../../shared/journal/replay-entries.ts'
import type { DeploymentId, LogNumber, OperationId } from '../../shared/records/ids.ts'
import type { Operation } from '../../shared/records/operation.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { timestampOf } from '../../shared/state/timestamp.ts'
import type { SeededDraw } from './draw.ts'
import { readStateBlob } from './read-state-blob.ts'
import { parseStored } from './store.ts'
import type { World } from './world.ts'

/** A reader's view of a deployment. */
export interface ReaderView {
  /** Number of log records that the reader sees. The log is read first. */
  readonly records: number
  /**
   * Reports whether the reader sees the end of an operation. Ends are read later than the log, and
   * not all at once.
   */
  readonly seesEnd: (id: OperationId) => boolean
}

/**
 * Returns the input for a fold of a deployment, complete or as a reader sees it; undefined before
 * its pin.
 */
export function foldInputOf(
  world: World,
  deployment: DeploymentId,
  readerView?: ReaderView,
): FoldInput | undefined {
  const { records: currentRecords } = world
  const records = currentRecords.log.read(deployment, 0 as LogNumber, readerView?.records ?? 1e9)
  const pages = new Map(
    records
      .flatMap(({ decisions }) => decisions)
      .flatMap(decision => (decision.kind === 'plan' ? decision.pages : []))
      .map(hash => {
        const text = Buffer.from(currentRecords.blobs.get(hash)).toString('utf8')
        return [hash, parseStored<readonly Operation[]>(text)] as const
      }),
  )
  const view = createLogView(records, pages)
  const { pin } = view
  if (pin === undefined) return undefined
  const ends = currentRecords.operations.getEnds(
    deployment,
    listExecutedOperations(view).map(({ id }) => id),
  )
  return {
    deployment,
    base: readStateBlob(world, pin.base),
    decisions: view.decisions.slice(view.decisions.lastIndexOf(pin) + 1),
    getPage: hash => pages.get(hash) ?? [],
    getEnd(id) {
      const end = ends.get(id)
      if (end?.head.end === undefined || readerView?.seesEnd(id) !== false) return end
      // An ended operation began earlier, and the reader may see the begin.
      const { end: _end, ...head } = end.head
      return { head }
    },
    secretsProvider: pin.secrets,
    now: timestampOf(view.foldAtMs),
    version: '',
  }
}

/**
 * Returns the input as a close found it. A begun operation without an end counts as not begun.
 * Normally it began after the stop flag, and its executor gives it back without a call. If the
 * sweep of a deposed generator has removed the owner, the records cannot exclude a call, and the
 * begin counts. `isSwept`: whether such a sweep ran before the fold of the close.
 */
export function inputOfClose(input: FoldInput, isSwept: boolean): FoldInput {
  return {
    ...input,
    getEnd(id) {
      const end = input.getEnd(id)
      if (end === undefined || end.head.end !== undefined) return end
      const { owner, attempt, givenBack } = end.head
      return isSwept && owner === '' && attempt > givenBack ? end : undefined
    },
  }
}

/**
 * Checks the fold law (I6). The published state is the fold of the records, or the base if only
 * the time of the manifest differs. A replay of the same entries in any order, with any duplicates,
 * gives the same result.
 */
export function checkFoldLaw(
  world: World,
  records: FoldInput,
  { published, draw }: { readonly published: StoredDeployment; readonly draw: SeededDraw },
): void {
  const { version } = published.manifest
  const text = JSON.stringify(published)
  const textOf = (foldInput: FoldInput): string => {
    const folded = fold({ ...foldInput, version })
    const { base } = foldInput
    return JSON.stringify(isDeepStrictEqual(withoutTime(base), withoutTime(folded)) ? base : folded)
  }
  // The records do not show whether a sweep ran before the fold of the close.
  const sweptInput = inputOfClose(records, true)
  const input = textOf(sweptInput) === text ? sweptInput : inputOfClose(records, false)
  const replayOptions = { baseFeatures: [], now: input.now, version }
  const foldedText = textOf(input)
  if (foldedText !== text)
    world.violate(
      `the published state is not the fold of the records: ${findDifference(text, foldedText)}`,
    )
  const entries = journalEntriesOf(input)
  const orderedReplay = replayEntries(input.base, entries, {
    ...replayOptions,
    sortResources: keepOrder,
  })
  const shuffledEntries = [...entries, ...entries.filter(() => draw.chance(0.3))]
    .map(entry => ({ entry, sortKey: draw.unit() }))
    .sort((one, other) => one.sortKey - other.sortKey)
    .map(({ entry }) => entry)
  const shuffledReplay = replayEntries(input.base, shuffledEntries, {
    ...replayOptions,
    sortResources: keepOrder,
  })
  if (JSON.stringify(shuffledReplay) !== JSON.stringify(orderedReplay))
    world.violate('a replay depends on the order or number of its entries')
  world.cover('checked', 'a fold does not depend on the order or number of its entries')
}

/**
 * Checks that the fold of a reader's partial view is valid (I6: an end without its needs is left
 * out).
 */
export function checkPartialFold(world: World, input: FoldInput): void {
  const integrityError = verifyIntegrity(fold(input))
  if (integrityError !== undefined)
    world.violate(`a fold of a partial view has an integrity error: ${integrityError}`)
  world.cover('checked', 'a fold of a partial view is valid')
}

function withoutTime(state: StoredDeployment): StoredDeployment {
  return { ...state, manifest: { ...state.manifest, time: '' } }
}

function keepOrder<T>(resources: T): T {
  return resources
}

/** Returns the first difference of two texts. */
function findDifference(first: string, second: string): string {
  let index = 0
  while (index < first.length && first[index] === second[index]) index += 1
  return [first, second]
    .map(text => text.slice(Math.max(0, index - 120), index + 160))
    .join('\n  instead of ')
}
