import type { ClockPort } from '../../ports/system.ts'
import type { OperationId } from '../../records/ids.ts'
import type { EndWatcher, RecordedEnd } from './end-watcher.ts'
import type { LogWriter } from './log-writer.ts'
import type { Recorded } from './recorded.ts'

/** What one life of a generator has come to so far. */
export interface Pace {
  /** Decisions that it recorded. */
  readonly decided: () => number
  /** Ends that it heard of, and that had not ended when it began. */
  readonly ended: () => number
  /** Operations since the last pin of which it knows that they ended. */
  readonly known: () => number
  /** Operations that had ended when it began, and upon whose ends it has not come yet. */
  readonly unseen: () => number
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
 * `left.before`: ends that stood when it began; who waits for one of these has it at once.
 */
export function paceOf(
  clock: ClockPort,
  { writer, watcher, recorded }: Paced,
  left: { readonly before: ReadonlyMap<OperationId, RecordedEnd>; readonly joins: number },
): { readonly pace: Pace; readonly paced: Paced } {
  const { before, joins } = left
  const beganMs = clock.monotonicMs()
  let atMs = beganMs
  let replayedMs = beganMs
  let decided = 0
  let first = before.size
  const seen = new Set<OperationId>()
  let heard = new Set<OperationId>()
  const happened = (): void => {
    atMs = clock.monotonicMs()
  }
  const paced: Paced = {
    writer: {
      ...writer,
      append(...decisions) {
        happened()
        decided += decisions.filter(({ kind }) => kind !== 'phase').length
        if (decisions.some(({ kind }) => kind === 'pin')) {
          // What came before a pin is in its base.
          first = 0
          heard = new Set()
        }
        return writer.append(...decisions)
      },
    },
    watcher: {
      ...watcher,
      async wait(id) {
        const known = before.get(id)
        const end = known ?? (await watcher.wait(id))
        happened()
        if (known === undefined) heard.add(id)
        else seen.add(id)
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
    ended: () => heard.size,
    known: () => first + heard.size,
    unseen: () => (first === 0 ? 0 : before.size - joins - seen.size),
    replayMs: () => replayedMs - beganMs,
    livedMs: () => clock.monotonicMs() - beganMs,
    idleMs: () => clock.monotonicMs() - atMs,
  }
  return { pace, paced }
}
