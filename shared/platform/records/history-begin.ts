import type { DeploymentStart, HistoryRecord } from '../../ports/catalog.ts'
import type { DeploymentId } from '../../records/ids.ts'

/** Returns a deployment's history entry as it is at the start of the deployment. */
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
