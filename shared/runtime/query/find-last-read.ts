import { readFirstPin } from '../../engine/deployment/log/supported-rules.ts'
import { hasCode } from '../../errors/error.ts'
import type { CatalogPort, HistoryRecord } from '../../ports/catalog.ts'
import type { DecisionLogPort } from '../../ports/records.ts'
import type { EpochMs, StackId } from '../../records/ids.ts'
import {
  findLatestDriftRuns,
  listSchedulesOf,
  readTimeOf,
  type ScheduledDriftPorts,
} from './scheduled-drift.ts'

/** The ports from which the last read of a stack is found. */
export interface RecentReadPorts extends ScheduledDriftPorts {
  readonly catalog: Pick<CatalogPort, 'listHistory'>
  readonly decisionLog: DecisionLogPort
}

/**
 * Returns the time at which all resources of a stack were last read, if no deployment has changed
 * the stack since then. A scheduled run that detects drift reads them, and so does a deployment
 * that refreshes without targets. Returns undefined if no such run or deployment is known, and
 * while a deployment runs.
 */
export async function findLastRead(
  ports: RecentReadPorts,
  stack: StackId,
): Promise<EpochMs | undefined> {
  const [newest] = await ports.catalog.listHistory(stack, 1)
  if (newest !== undefined && newest.endedAt === undefined) return undefined
  const schedules = await listSchedulesOf(ports, stack)
  const { latestRead } = await findLatestDriftRuns(ports, stack, schedules)
  const readAt = latestRead === undefined ? undefined : readTimeOf(latestRead)
  if (readAt !== undefined && (newest?.endedAt ?? 0) <= readAt) return readAt
  if (newest === undefined || !(await hasReadEverything(ports, newest))) return undefined
  return newest.startedAt
}

/**
 * Reports whether a deployment succeeded and read all resources. Returns false if its records were
 * removed.
 */
async function hasReadEverything(
  ports: Pick<RecentReadPorts, 'decisionLog'>,
  { deployment, command, result }: HistoryRecord,
): Promise<boolean> {
  if (result !== 'succeeded') return false
  try {
    const options = (await readFirstPin(ports, deployment))?.options
    if (options === undefined || options.targeting !== undefined) return false
    return command === 'refresh' || options.refresh
  } catch (thrown) {
    if (hasCode(thrown, 'RECORDS_REMOVED')) return false
    throw thrown
  }
}
