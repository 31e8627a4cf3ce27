import { createSerialQueue } from '../engine/serial-queue.ts'
import { createError } from '../errors/error.ts'
import type { DecisionLogPort } from '../ports/records.ts'
import type { ClockPort } from '../ports/system.ts'
import type { DeploymentId, LogNumber, WriterToken } from '../records/ids.ts'
import type { Decision, LogRecord } from '../records/log.ts'

/** The dependencies of writing the logs of clients. */
interface ClientLogDeps {
  readonly decisionLog: Pick<DecisionLogPort, 'append' | 'read'>
  readonly clock: Pick<ClockPort, 'now'>
}

/** The decision logs of clients. A client has no process here, so any API process may append. */
export interface ClientLogs {
  /**
   * Appends decisions of an update as one record, after all earlier records of the update. Resolves
   * with the number of the record when the record is durable. Throws DEPLOYMENT_TAKEN_OVER when
   * another process has taken over the log, or the log is closing. A repeated call may append a
   * second record, which the fold ignores.
   */
  readonly append: (log: ClientLog, decisions: readonly Decision[]) => Promise<LogNumber>
}

/** The log of a client: its deployment and its update. */
export interface ClientLog {
  readonly deployment: DeploymentId
  readonly update: string
}

/** A log that this process appends to. `next`: the number of its next record, if it is known. */
interface KnownLog {
  readonly enqueue: ReturnType<typeof createSerialQueue>
  next?: number | undefined
}

/** Maximum number of logs that a process remembers. */
const logsMax = 1_000

/** Creates the logs. The process remembers the next number of a log, or else reads the log. */
export function createClientLogs(deps: ClientLogDeps): ClientLogs {
  const knownLogs = new Map<DeploymentId, KnownLog>()
  /** Returns a log, and marks it as used. Above `logsMax`, forgets the least recently used log. */
  const useLog = (deployment: DeploymentId): KnownLog => {
    const knownLog = knownLogs.get(deployment) ?? { enqueue: createSerialQueue() }
    knownLogs.delete(deployment)
    knownLogs.set(deployment, knownLog)
    const [oldest] = knownLogs.keys()
    if (knownLogs.size > logsMax && oldest !== undefined) knownLogs.delete(oldest)
    return knownLog
  }
  const appendNow = async (
    knownLog: KnownLog,
    log: ClientLog,
    decisions: readonly Decision[],
  ): Promise<LogNumber> => {
    for (;;) {
      const next = knownLog.next ?? (await findNextNumber(deps, log))
      const number = next as LogNumber
      const record = { number, writer: writerOf(log), at: deps.clock.now(), decisions }
      // The result of an append that failed is unknown, so the number must be found again.
      knownLog.next = undefined
      if ((await deps.decisionLog.append(log.deployment, record)) === 'refused') continue
      knownLog.next = next + 1
      return number
    }
  }
  return {
    append: (log, decisions) => {
      const knownLog = useLog(log.deployment)
      return knownLog.enqueue(() => appendNow(knownLog, log, decisions))
    },
  }
}

/** Returns the writer of all records of an update. */
export function writerOf({ update }: Pick<ClientLog, 'update'>): WriterToken {
  return `client ${update}` as WriterToken
}

/**
 * Returns the next free number of a log, with a number of reads that grows with the logarithm of
 * its length. Throws DEPLOYMENT_TAKEN_OVER if another writer wrote the last record, or if this
 * record closes the log.
 */
async function findNextNumber({ decisionLog }: ClientLogDeps, log: ClientLog): Promise<number> {
  const readAt = async (number: number): Promise<LogRecord | undefined> =>
    (await decisionLog.read(log.deployment, number as LogNumber, 1))[0]
  let last = await readAt(0)
  if (last === undefined) return 0
  let lastNumber = 0
  let step = 1
  for (let isGrowing = true; step >= 1; ) {
    const record = await readAt(lastNumber + step)
    if (record === undefined) isGrowing = false
    else [last, lastNumber] = [record, lastNumber + step]
    step = isGrowing ? step * 2 : Math.floor(step / 2)
  }
  const isClosing = last.decisions.some(({ kind }) => kind === 'closing')
  if (last.writer === writerOf(log) && !isClosing) return lastNumber + 1
  throw createError('DEPLOYMENT_TAKEN_OVER', `the update ${log.update} is over`)
}
