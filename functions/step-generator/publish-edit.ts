import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { requireNoLateOutcomes } from '../../shared/engine/deployment/recovery/read-late-outcomes.ts'
import { requireLateWindowOver } from '../../shared/engine/deployment/retention/late-window.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import { readHolderStatus } from '../../shared/engine/deployment/ownership/holder-status.ts'
import {
  createBusyError,
  requireWaitingRequest,
} from '../../shared/engine/deployment/ownership/stack-busy.ts'
import { closeDeadDeployment } from '../../shared/engine/deployment/ownership/take-over.ts'
import { createError, hasCode } from '../../shared/errors/error.ts'
import type { StackRecord } from '../../shared/ports/catalog.ts'
import {
  deploymentPartsOf,
  type BlobHash,
  type DeploymentId,
  type StackId,
} from '../../shared/records/ids.ts'
import type { DeploymentResult } from '../../shared/records/log.ts'
import type { EditEnd } from '../../shared/records/stack-request.ts'
import type { EditedState } from '../../shared/state/edits/state-edit.ts'
import { printStateBlob } from '../../shared/state/print-envelope.ts'
import { envelopeOf } from '../../shared/state/snapshot-codec.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import { pendingOperationsOf } from '../../shared/state/pending.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { isStopped } from './resume-deployment.ts'

/** A change of the sealed state of a stack. */
export interface EditPublication {
  readonly command: 'stack import' | 'state'
  /**
   * Returns the edited state. Called within the deployment, and usually also before the deployment
   * starts, to find errors early.
   */
  readonly apply: (state: StoredDeployment) => EditedState
  /** Whether the edit treats a damaged state as an empty one. Absent: a damaged state fails it. */
  readonly replacesDamaged?: boolean
  /** The message of the history entry. Default: ''. */
  readonly message?: string
  /** The requester, for the history. */
  readonly by?: string
  /** The key of the request of the edit. Absent: the edit is not in a queue. */
  readonly key?: string
}

/**
 * Publishes an edit in a short deployment, which excludes every other deployment of the stack. The
 * queued request of the edit, if any, gets the end `started` before the publication, so that no
 * other process repeats the edit. Throws STACK_BUSY, STACK_NOT_FOUND, DEPLOYMENT_TAKEN_OVER,
 * STORE_CONFLICT, and the errors of `applyEdit`. No error follows the publication, except an error
 * of the store. An edit that fails before its deployment starts is not in the history.
 */
export async function publishEdit(
  ports: GeneratorPorts,
  stack: StackId,
  publication: EditPublication,
): Promise<EditEnd> {
  const { command, message = '', by, key } = publication
  await requireWaitingRequest(ports, { stack, ...(key === undefined ? {} : { key }) })
  const record = await ports.catalog.getStack(stack)
  // Finds errors before the deployment starts. The result is not used.
  if (record?.current === '') await applyEdit(ports, record, publication)
  const startOptions = { command, message, ...(by === undefined ? {} : { by }) }
  const startResult = await ports.catalog.start(stack, { ...startOptions, at: ports.clock.now() })
  if (startResult.kind === 'busy') {
    const holderStatus = await readHolderStatus(ports, startResult.deployment)
    if (holderStatus.kind === 'held')
      throw await createBusyError(ports, startResult.deployment, {
        holder: holderStatus.holder,
        hint: 'Wait for the other deployment, or end it with `antichain cancel`.',
      })
    if (holderStatus.kind === 'dead') await closeDeadDeployment(ports, startResult.deployment)
    // The other deployment is over now.
    return publishEdit(ports, stack, publication)
  }
  // Without this, the process would count its own deployment as dead.
  ports.ownDeployments?.add(startResult.deployment)
  try {
    return await publishInDeployment(ports, startResult.deployment, publication)
  } finally {
    ports.ownDeployments?.delete(startResult.deployment)
  }
}

async function publishInDeployment(
  ports: GeneratorPorts,
  deployment: DeploymentId,
  publication: EditPublication,
): Promise<EditEnd> {
  const { stack } = deploymentPartsOf(deployment)
  if (!(await ports.control.create(deployment, ports.holder))) throw createTakenOverError()
  const record = await ports.catalog.getStack(stack)
  if (record === undefined)
    throw createError('STACK_NOT_FOUND', `the stack '${stack}' does not exist`)
  let { version } = record
  let result: DeploymentResult = 'failed'
  // The history lists dropped operations only if the edit was published.
  let dropped: EditedState['dropped']
  try {
    const edited = await applyEdit(ports, record, publication)
    const snapshot = await putState(ports, edited.state)
    const { count, notices } = edited
    const end: EditEnd = { version: version + 1, count, notices: limitNotices(notices) }
    await markRequestStarted(ports, deployment, { key: publication.key, end })
    const published = await ports.catalog.publish(stack, record.version, snapshot)
    if (published.kind === 'conflict')
      throw createError('STORE_CONFLICT', `the snapshot of ${stack} was changed concurrently`)
    version = published.version
    result = 'succeeded'
    dropped = edited.dropped
    return end
  } finally {
    await ports.control.close(deployment)
    const historyEnd = { at: ports.clock.now(), result, changes: {}, version }
    await ports.catalog.release(
      deployment,
      dropped === undefined ? historyEnd : { ...historyEnd, dropped },
    )
  }
}

/**
 * Gives the queued request of an edit the end `started` by this deployment. A request keeps its
 * first end. Throws STACK_BUSY when the request has another end: it was withdrawn, or another
 * process serves it. Throws DEPLOYMENT_TAKEN_OVER when another process stopped this deployment.
 */
async function markRequestStarted(
  ports: GeneratorPorts,
  deployment: DeploymentId,
  { key, end: edit }: { readonly key: string | undefined; readonly end: EditEnd },
): Promise<void> {
  const { requests } = ports
  if (key === undefined || requests === undefined) return
  const { stack } = deploymentPartsOf(deployment)
  if (await isStopped(ports, deployment)) throw createTakenOverError()
  await requests.end(stack, key, { kind: 'started', deployment, edit })
  const end = (await requests.find(stack, key))?.end
  if (end?.kind === 'started' && end.deployment === deployment) return
  throw createError(
    'STACK_BUSY',
    `the request '${key}' was withdrawn, or another process has served it`,
  )
}

function createTakenOverError(): Error {
  return createError(
    'DEPLOYMENT_TAKEN_OVER',
    'another process considered this edit dead and closed it',
  )
}

/** Maximum number of notices in the record of a request. */
const noticesMax = 100

function limitNotices(notices: readonly string[]): readonly string[] {
  if (notices.length <= noticesMax) return notices
  return [...notices.slice(0, noticesMax), `${notices.length - noticesMax} more warnings`]
}

/**
 * Applies an edit to the state of a stack. The state of an import is not checked here. With the
 * command `state`, a valid state must stay valid, but an invalid state may be repaired step by
 * step. An edit changes the secrets manager only when no late outcome can arrive, because outcomes
 * are sealed with the previous manager. Throws the errors of `apply`, PENDING_STILL_RUNS,
 * STATE_INTEGRITY.
 */
async function applyEdit(
  ports: GeneratorPorts,
  { id, snapshot }: Pick<StackRecord, 'id' | 'snapshot'>,
  { command, apply, replacesDamaged = false }: EditPublication,
): Promise<EditedState> {
  const before = await readSnapshotBlob(ports.blobs, snapshot).catch((thrown: unknown) => {
    if (!replacesDamaged || !hasCode(thrown, 'STATE_INVALID')) throw thrown
    return readSnapshotBlob(ports.blobs, '')
  })
  const edited = apply(before)
  if (command !== 'state') return edited
  const { state: after } = edited
  // If a removed pending create still runs, its resource would be lost.
  for (const urn of findDroppedPending(before, after))
    await requireLateWindowOver(ports, before, urn)
  if (JSON.stringify(before.secrets_providers) !== JSON.stringify(after.secrets_providers)) {
    await requireLateWindowOver(ports, before)
    await requireNoLateOutcomes(ports, id, before)
  }
  const fault = verifyIntegrity(before) === undefined ? verifyIntegrity(after) : undefined
  if (fault !== undefined)
    throw createError('STATE_INTEGRITY', `the edit would make the state invalid: ${fault}`)
  return edited
}

/** Stores a state as a blob, to which no stack refers yet. */
export async function putState(
  ports: Pick<GeneratorPorts, 'blobs'>,
  state: StoredDeployment,
): Promise<BlobHash> {
  return ports.blobs.put(await printStateBlob(await envelopeOf(state)))
}

/**
 * Returns the URNs of the pending operations that an edit removes, if the edited state does not
 * have their resources.
 */
function findDroppedPending(before: StoredDeployment, edited: StoredDeployment): readonly string[] {
  const remainingPending = new Set(pendingOperationsOf(edited).map(({ resource }) => resource.urn))
  const resourceUrns = new Set((edited.resources ?? []).map(({ urn }) => urn))
  const urns = pendingOperationsOf(before).map(({ resource }) => resource.urn)
  return urns.filter(urn => !remainingPending.has(urn) && !resourceUrns.has(urn))
}
