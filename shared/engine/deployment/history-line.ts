import type { CatalogPort, HistoryRecord } from '../../ports/catalog.ts'
import { type DeploymentId, deploymentPartsOf } from '../../records/ids.ts'

/** The line of one deployment in the history of its stack, of which no more is read. */
export async function historyLine(
  catalog: Pick<CatalogPort, 'history'>,
  deployment: DeploymentId,
): Promise<HistoryRecord | undefined> {
  const { stack, number } = deploymentPartsOf(deployment)
  const [line] = await catalog.history(stack, 1, number + 1)
  return line?.deployment === deployment ? line : undefined
}
