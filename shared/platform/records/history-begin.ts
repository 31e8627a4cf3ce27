import type { DeploymentStart, HistoryRecord } from '../../ports/catalog.ts'
import type { DeploymentId } from '../../records/ids.ts'

/** Returns the entry of the history of a deployment that starts. */
export function historyBeginOf(
  deployment: DeploymentId,
  { command, message, at, environment, config }: DeploymentStart,
): HistoryRecord {
  return {
    ...{ deployment, command, message, startedAt: at },
    ...(environment === undefined ? {} : { environment }),
    ...(config === undefined ? {} : { config }),
  }
}
