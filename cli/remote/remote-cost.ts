import { costView } from '../../functions/api/cost-view.ts'
import type { RecordedCost } from '../../local/engine-port.ts'
import type { HistoryRecord } from '../../shared/ports/catalog.ts'
import type { DeploymentCost } from '../../shared/records/deployment-cost.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { ApiClient } from './api-client.ts'
import { stackPathOf } from './stack-path.ts'

/** Reads the cost of a deployment from the API. Throws DEPLOYMENT_UNKNOWN. */
export async function readRemoteCost(
  client: ApiClient,
  stack: StackId,
  number: number,
): Promise<RecordedCost> {
  const path = `${stackPathOf(stack)}/deployments/${number}`
  const record = (await client.call({ method: 'GET', path })) as HistoryRecord
  const response = await client.call({ method: 'GET', path: `${path}/cost` })
  return { record, cost: costView.parse(response) as unknown as DeploymentCost }
}
