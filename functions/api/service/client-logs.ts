import { error } from '../../../shared/errors/error.ts'
import type { DecisionLogPort } from '../../../shared/ports/records.ts'
import type { ClockPort } from '../../../shared/ports/system.ts'
import type { DeploymentId, LogNumber, WriterToken } from '../../../shared/records/ids.ts'
import type { Decision, LogRecord } from '../../../shared/records/log.ts'

/** The dependencies of writing the logs of clients. */
interface ClientLogDeps {
  readonly decisionLog: Pick<DecisionLogPort, 'append' | 'read'>
  readonly clock: Pick<ClockPort, 'now'>
}

/** The decision logs of clients. A client has no process here, so any API process may append. */
export interface ClientLogs {
  /**
   * Appends decisions of an update as one record, after all its earlier records. Resolves with the
   * number of the record when the record is durable. Throws DEPLOYMENT_TAKEN_OVER when another
   * process has taken over the log, or the log is closing. A repeated call may append a second
   * record, which the fold ignores.
   */
  readonly append: (log: ClientLog, decisions: readonly Decision[]) => Promise<LogNumber>
}

/** The log of a client: its deployment and its update. */
export interface ClientLog {
  readonly deployment: DeploymentId
  readonly update: string
}

/** Maximum number of logs whose next number a process remembers. */
const logsMax = 1_000

/** Creates the logs. The process remembers the next number of each log, and finds it if it must. */
export function createClientLogs(deps: ClientLogDeps): ClientLogs {
  const nextNumbers = new Map<DeploymentId, number>()
  const appends = new Map<DeploymentId, Promise<unknown>>()
  const remember = (deployment: DeploymentId, next: number): void => {
    nextNumbers.delete(deployment)
    nextNumbers.set(deployment, next)
    const [oldest] = nextNumbers.keys()
    if (nextNumbers.size > logsMax && oldest !== undefined) nextNumbers.delete(oldest)
  }
  const appendNow = async (log: ClientLog, decisions: readonly Decision[]): Promise<LogNumber> => {
    const { deployment } = log
    for (;;) {
      const next = nextNumbers.get(deployment) ?? (await findNextNumber(deps, log))
      const number = next as LogNumber
      const record = { number, writer: writerOf(log), at: deps.clock.now(), decisions }
      // The result of an append that failed is unknown, so the number must be found again.
      nextNumbers.delete(deployment)
      if ((await deps.decisionLog.append(deployment, record)) === 'refused') continue
      remember(deployment, next + 1)
      return number
    }
  }
  return {
    append: (log, decisions) => {
      const { deployment } = log
      const earlierAppend = appends.get(deployment) ?? Promise.resolve()
      const append = earlierAppend.then(() => appendNow(log, decisions))
      const settled = append.catch(() => undefined)
      appends.set(deployment, settled)
      void settled.then(() => {
        if (appends.get(deployment) === settled) appends.delete(deployment)
      })
      return append
    },
  }
}

/** Returns the writer of all records of an update. */
export function writerOf({ update }: Pick<ClientLog, 'update'>): WriterToken {
  return `client ${update}` as WriterToken
}

/**
 * Returns the next free number of a log, with a number of reads that grows with the logarithm of
 * the log. Throws DEPLOYMENT_TAKEN_OVER unless the client wrote the last record, and may add more.
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
  throw error('DEPLOYMENT_TAKEN_OVER', `the update ${log.update} is over`)
}
