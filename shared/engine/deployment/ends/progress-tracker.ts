import type { ClockPort } from '../../../ports/system.ts'
import type { OperationId } from '../../../records/ids.ts'
import type { EndWatcher, RecordedEnd } from './end-watcher.ts'
import type { LogWriter } from '../log/log-writer.ts'
import type { DecisionIndex } from '../log/decision-index.ts'

/** The progress of one generator run. */
export interface RunProgress {
  /** Number of decisions that it recorded. */
  readonly decidedCount: () => number
  /** Number of ends that it noticed and that were not recorded before it began. */
  readonly endedCount: () => number
  /** Number of operations since the last pin that are known to have ended. */
  readonly knownEndCount: () => number
  /** Number of operations that had ended before it began and that it has not awaited yet. */
  readonly unseenEndCount: () => number
  /** Time from its start to its last decision that was found in the records, in ms. */
  readonly replayMs: () => number
  readonly elapsedMs: () => number
  /** Time since the last activity, in ms. */
  readonly idleMs: () => number
}

/** The interfaces through which the progress of a generator run is observed. */
export interface ProgressSources {
  readonly writer: LogWriter
  readonly watcher: EndWatcher
  readonly recorded: DecisionIndex | undefined
}

/**
 * Tracks the progress of one generator run, by wrapping its log writer, its watcher and its
 * records. `earlier.earlierEnds`: ends from before its start. A wait for one of them resolves at
 * once.
 */
export function trackProgress(
  clock: ClockPort,
  { writer, watcher, recorded }: ProgressSources,
  earlier: {
    readonly earlierEnds: ReadonlyMap<OperationId, RecordedEnd>
    readonly joinCount: number
  },
): { readonly progress: RunProgress; readonly tracked: ProgressSources } {
  const { earlierEnds, joinCount } = earlier
  const beganMs = clock.monotonicMs()
  let atMs = beganMs
  let replayedMs = beganMs
  let decided = 0
  let first = earlierEnds.size
  const seen = new Set<OperationId>()
  let newEnds = new Set<OperationId>()
  const recordActivity = (): void => {
    atMs = clock.monotonicMs()
  }
  const tracked: ProgressSources = {
    writer: {
      ...writer,
      append(...decisions) {
        recordActivity()
        decided += decisions.filter(({ kind }) => kind !== 'phase').length
        if (decisions.some(({ kind }) => kind === 'pin')) {
          // The base contains everything from before the pin.
          first = 0
          newEnds = new Set()
        }
        return writer.append(...decisions)
      },
    },
    watcher: {
      ...watcher,
      async wait(id) {
        const known = earlierEnds.get(id)
        const end = known ?? (await watcher.wait(id))
        recordActivity()
        if (known === undefined) newEnds.add(id)
        else seen.add(id)
        return end
      },
    },
    recorded: recorded && {
      ...recorded,
      decisionsOf(urn) {
        const found = recorded.decisionsOf(urn)
        if (found.length > 0) {
          recordActivity()
          replayedMs = atMs
        }
        return found
      },
    },
  }
  const progress: RunProgress = {
    decidedCount: () => decided,
    endedCount: () => newEnds.size,
    knownEndCount: () => first + newEnds.size,
    unseenEndCount: () => (first === 0 ? 0 : earlierEnds.size - joinCount - seen.size),
    replayMs: () => replayedMs - beganMs,
    elapsedMs: () => clock.monotonicMs() - beganMs,
    idleMs: () => clock.monotonicMs() - atMs,
  }
  return { progress, tracked }
}
