import type { ClockPort } from '../../../ports/system.ts'
import type { OperationId } from '../../../records/ids.ts'
import { type EndWatcher, type RecordedEnd, waitForEndBy } from './end-watcher.ts'
import type { LogWriter } from '../log/log-writer.ts'
import type { DecisionIndex } from '../log/decision-index.ts'

/** The progress of one generator run. */
export interface RunProgress {
  /** Number of decisions that the run appended, without phases. */
  readonly decidedCount: () => number
  /**
   * Number of ends since the last pin that the run awaited and received. Ends that were recorded
   * before the run began do not count.
   */
  readonly endedCount: () => number
  /** Number of ends since the last pin, with those that were recorded before the run began. */
  readonly totalEndCount: () => number
  /**
   * Number of operations that had ended before the run began, and that the run has not awaited yet.
   * Joins and hooks do not count. 0 after the run has appended a pin.
   */
  readonly unawaitedEndCount: () => number
  /**
   * Time from the start of the run to the last decision that was replayed from the records, in ms.
   */
  readonly replayMs: () => number
  /** Time since the start of the run, in ms. */
  readonly elapsedMs: () => number
  /** Time since the last append, awaited end or replayed decision, in ms. */
  readonly idleMs: () => number
}

/** The interfaces through which the progress of a generator run is observed. */
export interface ProgressSources {
  readonly writer: LogWriter
  readonly watcher: EndWatcher
  readonly earlierDecisions: DecisionIndex | undefined
}

/**
 * Tracks the progress of one generator run, by wrapping its log writer, its watcher and its
 * decision index. `earlierRuns.earlierEnds`: ends from before the start of the run. A wait for such
 * an end resolves immediately.
 */
export function trackProgress(
  clock: ClockPort,
  { writer, watcher, earlierDecisions }: ProgressSources,
  earlierRuns: {
    readonly earlierEnds: ReadonlyMap<OperationId, RecordedEnd>
    readonly joinAndHookCount: number
  },
): { readonly progress: RunProgress; readonly trackedSources: ProgressSources } {
  const { earlierEnds, joinAndHookCount } = earlierRuns
  const startedMs = clock.monotonicMs()
  let lastActivityMs = startedMs
  let lastReplayMs = startedMs
  let decisionCount = 0
  let earlierEndCount = earlierEnds.size
  const awaitedEarlierEnds = new Set<OperationId>()
  let newEnds = new Set<OperationId>()
  const recordActivity = (): void => {
    lastActivityMs = clock.monotonicMs()
  }
  const recordEnd = (id: OperationId, isEarlier: boolean): void => {
    recordActivity()
    if (isEarlier) awaitedEarlierEnds.add(id)
    else newEnds.add(id)
  }
  const trackedSources: ProgressSources = {
    writer: {
      ...writer,
      append(...decisions) {
        recordActivity()
        decisionCount += decisions.filter(({ kind }) => kind !== 'phase').length
        if (decisions.some(({ kind }) => kind === 'pin')) {
          // The base contains everything from before the pin.
          earlierEndCount = 0
          newEnds = new Set()
        }
        return writer.append(...decisions)
      },
    },
    watcher: trackEnds(watcher, earlierEnds, recordEnd),
    earlierDecisions: earlierDecisions && {
      ...earlierDecisions,
      decisionsOf(urn) {
        const urnDecisions = earlierDecisions.decisionsOf(urn)
        if (urnDecisions.length > 0) {
          recordActivity()
          lastReplayMs = lastActivityMs
        }
        return urnDecisions
      },
    },
  }
  const progress: RunProgress = {
    decidedCount: () => decisionCount,
    endedCount: () => newEnds.size,
    totalEndCount: () => earlierEndCount + newEnds.size,
    unawaitedEndCount: () =>
      earlierEndCount === 0 ? 0 : earlierEnds.size - joinAndHookCount - awaitedEarlierEnds.size,
    replayMs: () => lastReplayMs - startedMs,
    elapsedMs: () => clock.monotonicMs() - startedMs,
    idleMs: () => clock.monotonicMs() - lastActivityMs,
  }
  return { progress, trackedSources }
}

/**
 * Returns a watcher that passes each awaited end to `recordEnd` first. An end from before the start
 * of the run is reported immediately, without a read.
 */
function trackEnds(
  watcher: EndWatcher,
  earlierEnds: ReadonlyMap<OperationId, RecordedEnd>,
  recordEnd: (id: OperationId, isEarlier: boolean) => void,
): EndWatcher {
  const watch: EndWatcher['watch'] = (ids, { onEnd, onFailed }) => {
    const unknownIds = ids.filter(id => !earlierEnds.has(id))
    const onNewEnd = (id: OperationId, end: RecordedEnd): void => {
      recordEnd(id, false)
      onEnd(id, end)
    }
    if (unknownIds.length > 0) watcher.watch(unknownIds, { onEnd: onNewEnd, onFailed })
    for (const id of ids) {
      const earlierEnd = earlierEnds.get(id)
      if (earlierEnd === undefined) continue
      recordEnd(id, true)
      onEnd(id, earlierEnd)
    }
  }
  return { ...watcher, watch, wait: id => waitForEndBy(watch, id) }
}
