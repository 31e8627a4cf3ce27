/**
 * deployment: one deployment from its start to its close, over the records: log, plan, ends, close,
 * take-over. Imports ports and below, the engine's graph, steps and events.
 *
 * Invariants I4, I5, I7, I9: there is one append in flight, and the next one carries all waiting
 * decisions. An appended decision is never decided again. A deposed writer stops.
 */
import { limits } from '../../../config/limits.ts'
import { error } from '../../../errors/error.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { DecisionLogPort } from '../../../ports/records.ts'
import type { DeploymentId, LogNumber, WriterToken } from '../../../records/ids.ts'
import type { Decision } from '../../../records/log.ts'

/** Appends decisions to the log of a deployment. */
export interface LogWriter {
  /**
   * Resolves when the decisions are durable. Throws DEPLOYMENT_TAKEN_OVER; every later call then
   * throws it too.
   */
  readonly append: (...decisions: readonly Decision[]) => Promise<void>
  /** Keeps a decision for the front of the next append. It is never written alone. */
  readonly defer: (decision: Decision) => void
  /**
   * Resolves when the waiting decisions are durable. Later appends are never written, and never
   * resolve.
   */
  readonly seal: () => Promise<void>
}

interface PendingAppend {
  readonly decisions: readonly Decision[]
  readonly onDurable: () => void
  readonly onFailed: (thrown: unknown) => void
}

/** The dependencies of a writer. The decision log retries while the store is unavailable. */
interface LogWriterDeps {
  readonly decisionLog: Pick<DecisionLogPort, 'append'>
  readonly clock: Pick<ClockPort, 'defer' | 'now'>
}

/** Creates the writer of one generator run, starting at the next free number. */
export function createLogWriter(
  deps: LogWriterDeps,
  cursor: {
    readonly deployment: DeploymentId
    readonly writer: WriterToken
    readonly next: LogNumber
  },
): LogWriter {
  let number: number = cursor.next
  let waiting: PendingAppend[] = []
  let deferred: Decision[] = []
  let running: Promise<void> | undefined
  let isSealed = false
  let broken: unknown
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, limits.decidedPerRecordMax)
      waiting = waiting.slice(batch.length)
      try {
        if (broken !== undefined) throw broken
        const decisions = [...deferred, ...batch.flatMap(item => item.decisions)]
        deferred = []
        const record = {
          number: number as LogNumber,
          writer: cursor.writer,
          at: deps.clock.now(),
          decisions,
        }
        const result = await deps.decisionLog.append(cursor.deployment, record)
        if (result === 'taken')
          throw error(
            'DEPLOYMENT_TAKEN_OVER',
            `another process took over deployment ${cursor.deployment}`,
          )
        number += 1
        for (const item of batch) item.onDurable()
      } catch (thrown) {
        broken = thrown
        for (const item of batch) item.onFailed(thrown)
      }
    }
    running = undefined
  }
  return {
    defer(decision) {
      deferred.push(decision)
    },
    append: (...decisions) =>
      new Promise((onDurable, onFailed) => {
        if (isSealed) return
        waiting.push({ decisions, onDurable, onFailed })
        // All decisions of one turn of the event loop go into one record.
        running ??= new Promise(over => deps.clock.defer(() => void flush().then(over)))
      }),
    seal() {
      isSealed = true
      return running ?? Promise.resolve()
    },
  }
}
