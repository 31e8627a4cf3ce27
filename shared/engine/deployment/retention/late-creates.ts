import { readHistoryLine, readVersions } from './stack-history.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { BlobsPort, DecisionLogPort, OperationsPort } from '../../../ports/records.ts'
import type { Head } from '../../../records/head.ts'
import { type DeploymentId, deploymentPartsOf } from '../../../records/ids.ts'
import type { LateOutcome } from '../../../records/late-outcome.ts'
import { makesObject } from '../../../records/operation.ts'
import { isReplaced } from '../../../state/pending.ts'
import { listExecutedOperations, toIdBatches, readLogView } from '../log/log-view.ts'
import { readSnapshotBlob } from '../state/snapshot-blob.ts'

interface LateCreatePorts {
  readonly decisionLog: DecisionLogPort
  readonly blobs: BlobsPort
  readonly operations: OperationsPort
  readonly catalog: CatalogPort
}

/**
 * Puts resources of unrecorded successful creates into the stack's inbox, before the records of
 * their deployment are removed. Nothing else knows that these resources exist (I9). An outcome that
 * a deployment took meanwhile stays taken. Can be repeated.
 */
export async function saveLateCreates(
  ports: LateCreatePorts,
  deployment: DeploymentId,
): Promise<void> {
  const late = await findLateCreates(ports, deployment)
  if (late.length === 0) return
  const { stack } = deploymentPartsOf(deployment)
  const known = await readKnownSince(ports, deployment)
  for (const item of late)
    if (!known.has(keyOf(item.urn, item.state['id']))) await ports.catalog.putLate(stack, item)
}

/**
 * Returns the successful creates of a deployment that its fold does not contain: their outcome
 * arrived after the operation had ended differently.
 */
async function findLateCreates(
  ports: LateCreatePorts,
  deployment: DeploymentId,
): Promise<readonly LateOutcome[]> {
  const view = await readLogView(ports, deployment)
  const creates = listExecutedOperations(view).filter(
    operation => makesObject(operation) && operation.skipCall !== true,
  )
  const urns = new Map(creates.map(({ id, urn }) => [id, urn]))
  const late: LateOutcome[] = []
  for (const batch of toIdBatches([...urns.keys()], 500))
    for (const [operation, head] of await ports.operations.getHeads(deployment, batch))
      for (const attempt of findUnselectedAttempts(head)) {
        const outcome = await ports.operations.getOutcome(deployment, operation, attempt)
        const urn = urns.get(operation)
        if (urn === undefined || outcome?.state === undefined) continue
        if (outcome.verdict === 'failed') continue
        late.push({ deployment, operation, attempt, urn, state: outcome.state })
      }
  return late
}

/** Returns the attempts whose outcome, if it exists, is not the end of their operation. */
function findUnselectedAttempts({ attempt, end }: Head): readonly number[] {
  const attempts = Array.from({ length: attempt }, (_, at) => at + 1)
  return attempts.filter(one => end?.verdict === 'interrupted' || end?.attempt !== one)
}

/**
 * Returns the resources, by URN and id, that any version published since contains. A user may have
 * imported one.
 */
async function readKnownSince(
  ports: LateCreatePorts,
  deployment: DeploymentId,
): Promise<ReadonlySet<string>> {
  const { stack } = deploymentPartsOf(deployment)
  const record = await readHistoryLine(ports.catalog, deployment)
  const known = new Set<string>()
  for await (const { version, snapshot } of readVersions(ports.catalog, stack)) {
    if (version < (record?.version ?? 0)) break
    // A resource that was deleted before its replacement may have had the same id as the
    // replacement.
    for (const resource of (await readSnapshotBlob(ports.blobs, snapshot)).resources ?? [])
      if (!isReplaced(resource)) known.add(keyOf(resource.urn, resource['id']))
  }
  return known
}

function keyOf(urn: string, id: unknown): string {
  return JSON.stringify([urn, id])
}
