import { limits } from '../../../config/limits.ts'
import { readHistoryRecord, readVersions } from './read-history-and-versions.ts'
import type { CatalogPort } from '../../../ports/catalog.ts'
import type { BlobsPort, DecisionLogPort, OperationsPort } from '../../../ports/records.ts'
import type { Head } from '../../../records/head.ts'
import { type DeploymentId, deploymentPartsOf } from '../../../records/ids.ts'
import type { LateOutcome } from '../../../records/late-outcome.ts'
import { createsObject } from '../../../records/operation.ts'
import { isReplacementPending } from '../../../state/pending.ts'
import { listExecutedOperations, toIdBatches, readLogView } from '../log/log-view.ts'
import { readSnapshotBlob } from '../state/read-snapshot-blob.ts'

/** The ports for saving late creates. */
interface LateCreatePorts {
  readonly decisionLog: DecisionLogPort
  readonly blobs: BlobsPort
  readonly operations: OperationsPort
  readonly catalog: CatalogPort
}

/**
 * Puts into the stack's inbox the created resources whose outcome was not selected, before the
 * records of their deployment are removed. No other record names these resources (I9). A resource
 * that a later version already contains is omitted. A call can be repeated.
 */
export async function saveLateCreates(
  ports: LateCreatePorts,
  deployment: DeploymentId,
): Promise<void> {
  const lateCreates = await findLateCreates(ports, deployment)
  if (lateCreates.length === 0) return
  const { stack } = deploymentPartsOf(deployment)
  const publishedResources = await readPublishedResources(ports, deployment)
  for (const lateCreate of lateCreates)
    if (!publishedResources.has(resourceKeyOf(lateCreate.urn, lateCreate.state['id'])))
      await ports.catalog.putLateOutcome(stack, lateCreate)
}

/**
 * Returns the created resources of a deployment that its fold does not contain. Their outcomes were
 * written after the operation had ended with another verdict. A partial create counts too.
 */
async function findLateCreates(
  ports: LateCreatePorts,
  deployment: DeploymentId,
): Promise<readonly LateOutcome[]> {
  const view = await readLogView(ports, deployment)
  const creates = listExecutedOperations(view).filter(
    operation => createsObject(operation) && operation.skipCall !== true,
  )
  const urns = new Map(creates.map(({ id, urn }) => [id, urn]))
  const lateCreates: LateOutcome[] = []
  for (const batch of toIdBatches([...urns.keys()], limits.idsPerReadMax))
    for (const [operation, head] of await ports.operations.getHeads(deployment, batch))
      for (const attempt of findUnselectedAttempts(head)) {
        const outcome = await ports.operations.getOutcome(deployment, operation, attempt)
        const urn = urns.get(operation)
        if (urn === undefined || outcome?.state === undefined) continue
        if (outcome.verdict === 'failed') continue
        lateCreates.push({ deployment, operation, attempt, urn, state: outcome.state })
      }
  return lateCreates
}

/**
 * Returns the attempts whose outcome, if it exists, was not selected. These are the attempts that
 * did not end their operation, and all attempts of an interrupted operation.
 */
function findUnselectedAttempts({ attempt, end }: Head): readonly number[] {
  const attempts = Array.from({ length: attempt }, (_, index) => index + 1)
  return attempts.filter(candidate => end?.verdict === 'interrupted' || end?.attempt !== candidate)
}

/**
 * Returns the resources, by URN and id, of all versions that were published since the deployment. A
 * user may have imported a late create into one of these versions.
 */
async function readPublishedResources(
  ports: LateCreatePorts,
  deployment: DeploymentId,
): Promise<ReadonlySet<string>> {
  const { stack } = deploymentPartsOf(deployment)
  const record = await readHistoryRecord(ports.catalog, deployment)
  const publishedResources = new Set<string>()
  for await (const { version, snapshot } of readVersions(ports.catalog, stack)) {
    if (version < (record?.version ?? 0)) break
    // A state with a pending replacement is skipped, because its object is deleted. The late create
    // may be the replacement, with the same URN and id.
    for (const resource of (await readSnapshotBlob(ports.blobs, snapshot)).resources ?? [])
      if (!isReplacementPending(resource))
        publishedResources.add(resourceKeyOf(resource.urn, resource['id']))
  }
  return publishedResources
}

function resourceKeyOf(urn: string, id: unknown): string {
  return JSON.stringify([urn, id])
}
