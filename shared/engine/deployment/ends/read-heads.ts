import { limits } from '../../../config/limits.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { Head } from '../../../records/head.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { toIdBatches } from '../log/log-view.ts'

/** Reads the heads of operations, in batches. Operations without a head are omitted. */
export async function readHeads(
  operations: Pick<OperationsPort, 'getHeads'>,
  deployment: DeploymentId,
  ids: readonly OperationId[],
): Promise<Map<OperationId, Head>> {
  const heads = new Map<OperationId, Head>()
  for (const batch of toIdBatches(ids, limits.idsPerReadMax))
    for (const [id, head] of await operations.getHeads(deployment, batch)) heads.set(id, head)
  return heads
}
