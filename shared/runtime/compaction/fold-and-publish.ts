/**
 * compaction: folds the journal of a deployment into the stack's next snapshot and publishes it.
 * May run any time, twice, or be killed: the fold depends on base and records only (I6), and
 * publishing is a compare-and-swap from the pinned base's version.
 */
import { emulatedVersion } from '../../config/emulated-version.ts'
import { envelopeOf } from '../../state/snapshot-codec.ts'
import { listOperationsSincePin } from '../../engine/deployment/log/earlier-runs.ts'
import { toIdBatches, type LogView, readLogView } from '../../engine/deployment/log/log-view.ts'
import type { RecordedEnd } from '../../engine/deployment/ends/end-watcher.ts'
import { requireKnownRules } from '../../engine/deployment/log/decision-rules.ts'
import { readSnapshotBlob } from '../../engine/deployment/state/snapshot-blob.ts'
import { error } from '../../errors/error.ts'
import { fold } from '../../journal/fold.ts'
import type { CatalogPort, StackRecord } from '../../ports/catalog.ts'
import type { BlobsPort, DecisionLogPort, OperationsPort } from '../../ports/records.ts'
import {
  deploymentPartsOf,
  type BlobHash,
  type DeploymentId,
  type EpochMs,
  type OperationId,
} from '../../records/ids.ts'
import type { Operation } from '../../records/operation.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import { timestampOf } from '../../state/timestamp.ts'

/** The ports that compaction uses. */
export interface CompactionPorts {
  readonly decisionLog: DecisionLogPort
  readonly operations: OperationsPort
  readonly blobs: BlobsPort
  readonly catalog: CatalogPort
}

/** The version that snapshots and plans say wrote them: that of the engine whose format is kept. */
export const writerVersion = `v${emulatedVersion}`

/**
 * Folds a deployment that a close has settled, and publishes; answers the version. `tellSettled` is
 * told when that was, before anything can fail. Throws STORE_CONFLICT when someone published
 * meanwhile.
 */
export async function compact(
  ports: CompactionPorts,
  deployment: DeploymentId,
  onSettled: (at: EpochMs) => void = () => undefined,
): Promise<{ readonly version: number; readonly snapshot: BlobHash }> {
  const view = await readLogView(ports, deployment)
  onSettled(view.at)
  const ends = await readEnds(ports, deployment, listOperationsSincePin(view))
  // What began after the stop flag and asked nobody before will be given back by who has it: it is
  // no pending operation.
  const findSettledEnd = (id: OperationId): RecordedEnd | undefined => {
    const found = ends.get(id)
    if (found === undefined || found.head.end !== undefined) return found
    const { owner, attempt, givenBack } = found.head
    return attempt - (owner === '' ? 0 : 1) > givenBack ? found : undefined
  }
  const folded = await foldWithEnds(ports, { deployment, view }, findSettledEnd)
  const snapshot = await ports.blobs.put(Buffer.from(JSON.stringify(envelopeOf(folded))))
  const { stack } = deploymentPartsOf(deployment)
  const published = await ports.catalog.publish(stack, view.version, snapshot)
  if (published.kind === 'conflict')
    throw error(
      'STORE_CONFLICT',
      `the snapshot of ${stack} was moved to version ${published.version} by someone else`,
    )
  return { version: published.version, snapshot }
}

/**
 * The state of a stack as its records have it now: what a deployment that runs or was left did so
 * far, folded on demand over its base (operations that run are pending in it), else the published
 * snapshot. Nothing is written.
 */
export async function readState(
  ports: Omit<CompactionPorts, 'catalog'>,
  stack: StackRecord,
): Promise<StoredDeployment> {
  if (stack.current !== '') {
    const view = await readLogView(ports, stack.current)
    if (view.pin !== undefined) return foldLog(ports, stack.current, view)
  }
  return readSnapshotBlob(ports.blobs, stack.snapshot)
}

/** The fold of what a log has since its last pin. */
export async function foldLog(
  ports: Omit<CompactionPorts, 'catalog'>,
  deployment: DeploymentId,
  view: LogView,
): Promise<StoredDeployment> {
  const ends = await readEnds(ports, deployment, listOperationsSincePin(view))
  return foldWithEnds(ports, { deployment, view }, id => ends.get(id))
}

/** Heads and selected outcomes of operations. */
export async function readEnds(
  ports: Pick<CompactionPorts, 'operations'>,
  deployment: DeploymentId,
  operations: readonly Operation[],
): Promise<ReadonlyMap<OperationId, RecordedEnd>> {
  const ends = new Map<OperationId, RecordedEnd>()
  const ids = operations.map(({ id }) => id)
  for (const batch of toIdBatches(ids, 500))
    for (const [id, end] of await ports.operations.getEnds(deployment, batch)) ends.set(id, end)
  return ends
}

/** The fold of a log since its last pin, with the ends that `end` tells. */
export async function foldWithEnds(
  ports: Pick<CompactionPorts, 'blobs'>,
  { deployment, view }: { readonly deployment: DeploymentId; readonly view: LogView },
  endOf: (id: OperationId) => RecordedEnd | undefined,
): Promise<StoredDeployment> {
  const { pin } = view
  if (pin === undefined) throw error('INTERNAL_ASSERTION', 'what has no base cannot be folded')
  requireKnownRules(deployment, pin)
  const base = await readSnapshotBlob(ports.blobs, pin.base)
  return fold({
    deployment,
    base,
    decisions: view.decisions.slice(view.decisions.lastIndexOf(pin) + 1),
    getPage: hash => view.pages.get(hash) ?? [],
    getEnd: endOf,
    secretsProvider: pin.secrets,
    // Not the clock: a close that is done again must come to the very same snapshot.
    now: timestampOf(view.at),
    version: writerVersion,
  })
}
