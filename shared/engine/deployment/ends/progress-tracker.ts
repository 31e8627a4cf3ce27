import type { ClockPort } from '../../../ports/system.ts'
import type { OperationId } from '../../../records/ids.ts'
import type { EndWatcher, RecordedEnd } from './end-watcher.ts'
import type { LogWriter } from '../log/log-writer.ts'
import type { DecisionIndex } from '../log/decision-index.ts'

/** What one life of a generator has come to so far. */
export interface RunProgress {
  /** Decisions that it recorded. */
  readonly decidedCount: () => number
  /** Ends that it heard of, and that had not ended when it began. */
  readonly endedCount: () => number
  /** Operations since the last pin of which it knows that they ended. */
  readonly knownEndCount: () => number
  /** Operations that had ended when it began, and upon whose ends it has not come yet. */
  readonly unseenEndCount: () => number
  /** How long after its begin it was last answered from the records, in ms. */
  readonly replayMs: () => number
  readonly elapsedMs: () => number
  /** How long ago anything happened, in ms. */
  readonly idleMs: () => number
}

/** What the pace of a life is seen by. */
export interface ProgressSources {
  readonly writer: LogWriter
  readonly watcher: EndWatcher
  readonly recorded: DecisionIndex | undefined
}

/**
 * Watches the pace of one life, by what goes through its log writer, its watcher and its records.
 * `left.before`: ends that stood when it began; who waits for one of these has it at once.
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
          // What came before a pin is in its base.
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
