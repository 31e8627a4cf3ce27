/**
 * deployment: one deployment from its start to its close, over the records: log, plan, ends, close,
 * take-over. Imports ports and below, the engine's graph, steps and events.
 *
 * Invariants I4, I5, I7, I9: one append in flight, which carries all decisions that wait; what was
 * appended is never decided again; a deposed writer stops.
 */
import { limits } from '../../config/limits.ts'
import { error } from '../../errors/error.ts'
import type { ClockPort } from '../../ports/system.ts'
import type { DecisionLogPort } from '../../ports/records.ts'
import type { DeploymentId, LogNumber, WriterToken } from '../../records/ids.ts'
import type { Decision } from '../../records/log.ts'

/** Appends decisions to the log of a deployment. */
export interface LogWriter {
  /**
   * Resolves when the decision is durable. Throws DEPLOYMENT_TAKEN_OVER, then for every further
   * call.
   */
  readonly append: (...decisions: readonly Decision[]) => Promise<void>
  /** Keeps a decision that the next append carries in front; alone it is never written. */
  readonly note: (decision: Decision) => void
  /** Resolves when what waits is durable; what is appended later never is, and never resolves. */
  readonly seal: () => Promise<void>
}

interface Waiting {
  readonly decisions: readonly Decision[]
  readonly done: () => void
  readonly failed: (thrown: unknown) => void
}

/** What a writer needs; the log is patient with a store that has a bad moment. */
interface LogWriterDeps {
  readonly log: Pick<DecisionLogPort, 'append'>
  readonly clock: Pick<ClockPort, 'soon' | 'now'>
}

/** Makes the writer of one life, from the next free number on. */
export function createLogWriter(
  deps: LogWriterDeps,
  life: {
    readonly deployment: DeploymentId
    readonly writer: WriterToken
    readonly next: LogNumber
  },
): LogWriter {
  let number: number = life.next
  let waiting: Waiting[] = []
  let noted: Decision[] = []
  let running: Promise<void> | undefined
  let isSealed = false
  let broken: unknown
  const flush = async (): Promise<void> => {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, limits.decidedPerRecordMax)
      waiting = waiting.slice(batch.length)
      try {
        if (broken !== undefined) throw broken
        const decisions = [...noted, ...batch.flatMap(item => item.decisions)]
        noted = []
        const record = {
          number: number as LogNumber,
          writer: life.writer,
          at: deps.clock.now(),
          decisions,
        }
        const result = await deps.log.append(life.deployment, record)
        if (result === 'taken')
          throw error(
            'DEPLOYMENT_TAKEN_OVER',
            `another process took over deployment ${life.deployment}`,
          )
        number += 1
        for (const item of batch) item.done()
      } catch (thrown) {
        broken = thrown
        for (const item of batch) item.failed(thrown)
      }
    }
    running = undefined
  }
  return {
    note(decision) {
      noted.push(decision)
    },
    append: (...decisions) =>
      new Promise((done, failed) => {
        if (isSealed) return
        waiting.push({ decisions, done, failed })
        // Everything that is decided in this turn goes into one record.
        running ??= new Promise(over => deps.clock.soon(() => void flush().then(over)))
      }),
    seal() {
      isSealed = true
      return running ?? Promise.resolve()
    },
  }
}
