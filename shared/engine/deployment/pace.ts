import type { ClockPort } from '../../ports/system.ts'
import type { OperationId } from '../../records/ids.ts'
import type { EndWatcher } from './end-watcher.ts'
import type { LogWriter } from './log-writer.ts'
import type { Recorded } from './recorded.ts'

/** What one life of a generator has come to so far. */
export interface Pace {
  /** Decisions that it recorded. */
  readonly decided: () => number
  /** Ends that it heard of, and that had not ended when it began. */
  readonly ended: () => number
  /** How long after its begin it was last answered from the records, in ms. */
  readonly replayMs: () => number
  readonly livedMs: () => number
  /** How long ago anything happened, in ms. */
  readonly idleMs: () => number
}

/** What the pace of a life is seen by. */
export interface Paced {
  readonly writer: LogWriter
  readonly watcher: EndWatcher
  readonly recorded: Recorded | undefined
}

/**
 * Watches the pace of one life, by what goes through its log writer, its watcher and its records.
 * `before`: operations that had ended when it began.
 */
export function paceOf(
  clock: ClockPort,
  { writer, watcher, recorded }: Paced,
  before: { readonly has: (id: OperationId) => boolean },
): { readonly pace: Pace; readonly paced: Paced } {
  const beganMs = clock.monotonicMs()
  let atMs = beganMs
  let replayedMs = beganMs
  let decided = 0
  let ended = 0
  const happened = (): void => {
    atMs = clock.monotonicMs()
  }
  const paced: Paced = {
    writer: {
      ...writer,
      append(...decisions) {
        happened()
        decided += decisions.filter(({ kind }) => kind !== 'phase').length
        return writer.append(...decisions)
      },
    },
    watcher: {
      ...watcher,
      async wait(id) {
        const end = await watcher.wait(id)
        happened()
        if (!before.has(id)) ended += 1
        return end
      },
    },
    recorded: recorded && {
      ...recorded,
      of(urn) {
        const found = recorded.of(urn)
        if (found.length > 0) {
          happened()
          replayedMs = atMs
        }
        return found
      },
    },
  }
  const pace: Pace = {
    decided: () => decided,
    ended: () => ended,
    replayMs: () => replayedMs - beganMs,
    livedMs: () => clock.monotonicMs() - beganMs,
    idleMs: () => clock.monotonicMs() - atMs,
  }
  return { pace, paced }
}
