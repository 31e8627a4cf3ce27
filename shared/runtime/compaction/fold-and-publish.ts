/**
 * compaction: folds the journal of a deployment into the stack's next snapshot and publishes the
 * snapshot. Compaction may run at any time, run twice, or be killed. The fold depends on base and
 * records only (I6), and publishing is a compare-and-swap from the version of the pinned base.
 */
import { emulatedVersion } from '../../config/emulated-version.ts'
import { limits } from '../../config/limits.ts'
import { printStateBlob } from '../../state/print-envelope.ts'
import { envelopeOf } from '../../state/snapshot-codec.ts'
import { listOperationsSincePin } from '../../engine/deployment/log/read-earlier-runs.ts'
import { toIdBatches, type LogView, readLogView } from '../../engine/deployment/log/log-view.ts'
import type { RecordedEnd } from '../../engine/deployment/ends/end-watcher.ts'
import { requireSupportedRules } from '../../engine/deployment/log/supported-rules.ts'
import { readSnapshotBlob } from '../../engine/deployment/state/read-snapshot-blob.ts'
import { createError } from '../../errors/error.ts'
import { completeCheckpoint, findCheckpoint } from '../../journal/client-checkpoint.ts'
import { fold } from '../../journal/fold.ts'
import { isStateUnchanged } from '../../journal/is-state-unchanged.ts'
import { mergeStates } from '../../journal/merge-states.ts'
import { isOpenDeployment, listOpenDeployments } from '../../ports/open-deployments.ts'
import { foldClientLog } from '../../journal/fold-client-log.ts'
import type { CatalogPort, PublishedVersion, StackRecord } from '../../ports/catalog.ts'
import type { BlobsPort, DecisionLogPort, OperationsPort } from '../../ports/records.ts'
import {
  deploymentPartsOf,
  type BlobHash,
  type DeploymentId,
  type EpochMs,
  type OperationId,
} from '../../records/ids.ts'
import type { Decision } from '../../records/log.ts'
import type { Operation } from '../../records/operation.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import { createStringSharer } from '../../state/stream/share-strings.ts'
import { timestampOf } from '../../state/timestamp.ts'

/** The ports that read and fold the records of deployments. Compaction also publishes with them. */
export interface JournalPorts {
  readonly decisionLog: DecisionLogPort
  readonly operations: OperationsPort
  readonly blobs: BlobsPort
  readonly catalog: CatalogPort
  /** Whether `compact` writes a snapshot even if only its time changed. Absent: no. */
  readonly writesUnchangedSnapshots?: boolean
}

/**
 * The version in the manifests of snapshots and update plans: the version of Pulumi whose format
 * they have.
 */
export const pulumiFormatVersion = `v${emulatedVersion}`

/**
 * Folds a closing deployment whose operations have ended, and publishes the snapshot. If nothing
 * changed, the new version has the blob of the base, so that its cost does not depend on the size
 * of the stack. Returns the version and the hash of the snapshot. After reading the log, calls
 * `onLogRead` with the time of the `closing` record. Throws STORE_CONFLICT after a concurrent
 * publication, except for a targeted deployment, which is merged.
 */
export async function compact(
  ports: JournalPorts,
  deployment: DeploymentId,
  onLogRead: (closingAtMs: EpochMs) => void = () => undefined,
): Promise<PublishedVersion> {
  const { published, version, ...folded } = await foldClosing(ports, deployment, onLogRead)
  const { foldedState, unchangedBase } = folded
  const { stack } = deploymentPartsOf(deployment)
  if (published !== undefined)
    return publishMerged(ports, deployment, { published, version, foldedState })
  const snapshot =
    unchangedBase ?? (await ports.blobs.put(await printStateBlob(await envelopeOf(foldedState))))
  const publication = await ports.catalog.publish(stack, version, snapshot)
  if (publication.kind === 'conflict')
    throw createError(
      'STORE_CONFLICT',
      `the snapshot of ${stack} was changed to version ${publication.version} by another process`,
    )
  return { version: publication.version, snapshot }
}

/** The fold of a closing deployment. */
interface ClosingFold {
  /** The published snapshot on which a targeted deployment began. Absent without targets. */
  readonly published: BlobHash | '' | undefined
  /** The version of the stack at the first pin. */
  readonly version: number
  readonly foldedState: StoredDeployment
  /** The snapshot of the base, if it may be published again and has the contents of the fold. */
  readonly unchangedBase: BlobHash | undefined
}

/**
 * Folds a closing deployment. Afterwards only the result stays in memory, because its formatting
 * needs the memory that the log and the ends occupied.
 */
async function foldClosing(
  ports: JournalPorts,
  deployment: DeploymentId,
  onLogRead: (closingAtMs: EpochMs) => void,
): Promise<ClosingFold> {
  const view = await readLogView(ports, deployment)
  onLogRead(view.foldAtMs)
  const ends = await readEnds(ports, deployment, listOperationsSincePin(view))
  // An executor that begins an operation after the stop flag gives the begin back. So the open
  // attempt of an operation with an owner calls no provider. The operation becomes a pending
  // operation only if an earlier attempt may have called its provider.
  const findEndToFold = (id: OperationId): RecordedEnd | undefined => {
    const recordedEnd = ends.get(id)
    if (recordedEnd === undefined || recordedEnd.head.end !== undefined) return recordedEnd
    const { owner, attempt, givenBack } = recordedEnd.head
    return attempt - (owner === '' ? 0 : 1) > givenBack ? recordedEnd : undefined
  }
  const { base, foldedState } = await foldOverBase(ports, { deployment, view }, findEndToFold)
  const { pin, version } = view
  // A targeted deployment (`pin.published`) never reuses its base: `publishMerged` merges its fold.
  const mayReuseBase =
    pin?.client === undefined &&
    pin?.published === undefined &&
    ports.writesUnchangedSnapshots !== true
  const reusableBase = mayReuseBase ? (pin?.base ?? '') : ''
  const unchangedBase =
    reusableBase !== '' && (await isStateUnchanged(base, foldedState)) ? reusableBase : undefined
  return { published: pin?.published, version, foldedState, unchangedBase }
}

/** The fold of a targeted deployment. */
interface TargetedFold extends Omit<ClosingFold, 'unchangedBase'> {
  readonly published: BlobHash | ''
}

/**
 * Publishes the fold of a targeted deployment. If another deployment has published since the pin,
 * the changes of the targeted deployment are merged into the newest snapshot. If that snapshot
 * contains the changes already, it is published again, so that the stack records the publication.
 * If an earlier close has published the changes, returns that publication. A second merge could
 * undo later changes of the same outputs and references. If another process has released the
 * deployment already, returns the newest publication.
 */
async function publishMerged(
  ports: JournalPorts,
  deployment: DeploymentId,
  { published, version, foldedState }: TargetedFold,
): Promise<PublishedVersion> {
  const { stack } = deploymentPartsOf(deployment)
  for (let tries = 0; tries < limits.claimAttemptsMax; tries += 1) {
    const record = await ports.catalog.getStack(stack)
    if (record === undefined)
      throw createError('STACK_NOT_FOUND', `the stack ${stack} does not exist`)
    const ownPublication = findPublication(record, deployment)
    if (ownPublication !== undefined) return ownPublication
    // This process may have been suspended during the close, while another process closed and
    // released the deployment.
    if (!isOpenDeployment(record, deployment) && record.snapshot !== '')
      return { version: record.version, snapshot: record.snapshot }
    const state =
      record.version === version
        ? foldedState
        : mergeStates({
            base: await readSnapshotBlob(ports.blobs, published),
            folded: foldedState,
            current: await readSnapshotBlob(ports.blobs, record.snapshot),
          })
    const snapshot =
      state === undefined && record.snapshot !== ''
        ? record.snapshot
        : await ports.blobs.put(await printStateBlob(await envelopeOf(state ?? foldedState)))
    const publication = await ports.catalog.publish(stack, record.version, snapshot, deployment)
    if (publication.kind !== 'conflict') return { version: publication.version, snapshot }
  }
  throw createError('STORE_UNAVAILABLE', `gave up publishing: ${stack} was changed concurrently`)
}

/** Returns the publication of an open targeted deployment. Undefined before its publication. */
const findPublication = (
  { targeted = [] }: StackRecord,
  deployment: DeploymentId,
): PublishedVersion | undefined => targeted.find(open => open.deployment === deployment)?.published

/**
 * Returns the current state of a stack, without writing. If the stack has open deployments, running
 * or interrupted, their records so far are folded over their bases and merged. Running operations
 * become pending operations. Without an open deployment, or before its pin, the published snapshot
 * is returned.
 */
export async function readState(
  ports: Omit<JournalPorts, 'catalog'>,
  stack: StackRecord,
): Promise<StoredDeployment> {
  let state = await readSnapshotBlob(ports.blobs, stack.snapshot)
  for (const deployment of listOpenDeployments(stack)) {
    if (findPublication(stack, deployment) !== undefined) continue
    const view = await readLogView(ports, deployment)
    if (view.pin === undefined) continue
    const folded = await foldLog(ports, deployment, view)
    const { published } = view.pin
    if (published === undefined) return folded
    const base = await readSnapshotBlob(ports.blobs, published)
    state = mergeStates({ base, folded, current: state }) ?? state
  }
  return state
}

/** Folds a log from its last pin on. */
export async function foldLog(
  ports: Omit<JournalPorts, 'catalog'>,
  deployment: DeploymentId,
  view: LogView,
): Promise<StoredDeployment> {
  const ends = await readEnds(ports, deployment, listOperationsSincePin(view))
  return foldWithEnds(ports, { deployment, view }, id => ends.get(id))
}

/**
 * Returns heads and selected outcomes of operations. Equal texts of the states share their memory.
 */
export async function readEnds(
  ports: Pick<JournalPorts, 'operations'>,
  deployment: DeploymentId,
  operations: readonly Operation[],
): Promise<ReadonlyMap<OperationId, RecordedEnd>> {
  const ends = new Map<OperationId, RecordedEnd>()
  const ids = operations.map(({ id }) => id)
  const shareStrings = createStringSharer()
  for (const batch of toIdBatches(ids, limits.idsPerReadMax))
    for (const [id, end] of await ports.operations.getEnds(deployment, batch)) {
      shareStrings(end.outcome?.state)
      ends.set(id, end)
    }
  return ends
}

/** Folds a log from its last pin on, with the ends that `getEnd` returns. */
export async function foldWithEnds(
  ...args: Parameters<typeof foldOverBase>
): Promise<StoredDeployment> {
  return (await foldOverBase(...args)).foldedState
}

/** Folds like `foldWithEnds`, and also returns the base. */
async function foldOverBase(
  ports: Pick<JournalPorts, 'blobs'>,
  { deployment, view }: { readonly deployment: DeploymentId; readonly view: LogView },
  getEnd: (id: OperationId) => RecordedEnd | undefined,
): Promise<{ readonly base: StoredDeployment; readonly foldedState: StoredDeployment }> {
  const { pin } = view
  if (pin === undefined)
    throw createError('INTERNAL_ASSERTION', 'a log without a pin cannot be folded')
  requireSupportedRules(deployment, pin)
  const decisions = view.decisions.slice(view.decisions.lastIndexOf(pin) + 1)
  const base = await readBase(ports, pin.base, decisions)
  // The time comes from the log, not from the clock, because a repeated close must create the same
  // snapshot.
  const manifest = { now: timestampOf(view.foldAtMs), version: pulumiFormatVersion }
  if (pin.client !== undefined)
    return { base, foldedState: foldClientLog({ base, decisions, ...manifest }) }
  const foldedState = fold({
    deployment,
    base,
    decisions,
    getPage: hash => view.pages.get(hash) ?? [],
    getEnd,
    secretsProvider: pin.secrets,
    ...manifest,
  })
  return { base, foldedState }
}

/**
 * Returns the state that the decisions start from: the pinned base, or the checkpoint of a client.
 * A client that sends checkpoints sends no entries.
 */
async function readBase(
  { blobs }: Pick<JournalPorts, 'blobs'>,
  pinnedBase: BlobHash | '',
  decisions: readonly Decision[],
): Promise<StoredDeployment> {
  const checkpoint = findCheckpoint(decisions)
  const base = await readSnapshotBlob(blobs, checkpoint?.snapshot ?? pinnedBase)
  if (checkpoint?.isNumbered !== true) return base
  return completeCheckpoint(base, await readSnapshotBlob(blobs, pinnedBase), decisions)
}
