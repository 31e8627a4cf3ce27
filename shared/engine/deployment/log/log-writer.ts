/**
 * deployment: one deployment from its start to its close, with its decision log, claims, dispatch,
 * ends, ownership, recovery and retention. Imports ports and below, the retry policy of providers,
 * and the engine's graph, steps, requests and events.
 *
 * Invariants: I4, I5, I7 and I9 of docs/architecture.md. At most one record is in flight. Meanwhile
 * the decisions of further appends wait for the next record, which takes those of up to
 * `registrationsPerRecordMax` appends. An appended decision is never decided again. A deposed
 * writer stops.
 */
import { limits } from '../../../config/limits.ts'
import { createError } from '../../../errors/error.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { DecisionLogPort } from '../../../ports/records.ts'
import type { DeploymentId, LogNumber, WriterToken } from '../../../records/ids.ts'
import type { Decision } from '../../../records/log.ts'

/** The writer of the decision log of a deployment. */
export interface LogWriter {
  /**
   * Resolves when the decisions are durable. Throws DEPLOYMENT_TAKEN_OVER when another process
   * holds the log, and the errors of the store. After an error, every later call throws the same
   * error.
   */
  readonly append: (...decisions: readonly Decision[]) => Promise<void>
  /**
   * Postpones a decision to the record of the next append, before the decisions of that append. No
   * record has only postponed decisions.
   */
  readonly defer: (decision: Decision) => void
  /**
   * Resolves when every earlier append is durable or has failed. Later appends are never written,
   * and never resolve.
   */
  readonly finish: () => Promise<void>
}

/** An append whose record is not durable yet. */
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
    readonly nextNumber: LogNumber
  },
): LogWriter {
  let recordNumber: number = cursor.nextNumber
  let pendingAppends: PendingAppend[] = []
  let deferredDecisions: Decision[] = []
  let runningFlush: Promise<void> | undefined
  let isFinished = false
  let appendError: unknown
  const flush = async (): Promise<void> => {
    while (pendingAppends.length > 0) {
      const batch = pendingAppends.slice(0, limits.registrationsPerRecordMax)
      pendingAppends = pendingAppends.slice(batch.length)
      try {
        if (appendError !== undefined) throw appendError
        const decisions = [...deferredDecisions, ...batch.flatMap(item => item.decisions)]
        deferredDecisions = []
        const record = {
          number: recordNumber as LogNumber,
          writer: cursor.writer,
          at: deps.clock.now(),
          decisions,
        }
        const result = await deps.decisionLog.append(cursor.deployment, record)
        if (result === 'refused')
          throw createError(
            'DEPLOYMENT_TAKEN_OVER',
            `another process took over deployment ${cursor.deployment}`,
          )
        recordNumber += 1
        for (const item of batch) item.onDurable()
      } catch (thrown) {
        appendError = thrown
        for (const item of batch) item.onFailed(thrown)
      }
    }
    runningFlush = undefined
  }
  return {
    defer(decision) {
      deferredDecisions.push(decision)
    },
    append: (...decisions) =>
      new Promise((onDurable, onFailed) => {
        if (isFinished) return
        pendingAppends.push({ decisions, onDurable, onFailed })
        // The decisions of one turn of the event loop wait for the same record.
        runningFlush ??= new Promise(resolve => deps.clock.defer(() => void flush().then(resolve)))
      }),
    finish() {
      isFinished = true
      return runningFlush ?? Promise.resolve()
    },
  }
}
