import type { DeploymentStart, HistoryRecord } from '../../ports/catalog.ts'
import type { DeploymentId } from '../../records/ids.ts'

/**
 * Maximum length of a requester. A longer text is cut, such as the subject of a federated token,
 * whose length is not limited elsewhere.
 */
const requesterCharsMax = 300

/** Returns a deployment's history entry as it is at the start of the deployment. */
export function historyBeginOf(
  deployment: DeploymentId,
  { command, message, by, approval, at, environment, config }: DeploymentStart,
): HistoryRecord {
  return {
    deployment,
    command,
    message,
    startedAt: at,
    ...(by === undefined ? {} : { by: by.slice(0, requesterCharsMax) }),
    ...(approval === undefined ? {} : { approval }),
    ...(environment === undefined ? {} : { environment }),
    ...(config === undefined ? {} : { config }),
  }
}
