import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'
import { requireLateWindowOver } from '../shared/engine/deployment/retention/late-window.ts'
import { requireNoLateOutcomes } from '../shared/engine/deployment/recovery/late-outcomes.ts'
import { readSnapshotBlob } from '../shared/engine/deployment/state/snapshot-blob.ts'
import {
  createBusyError,
  closeDeadDeployment,
  readHolderStatus,
} from '../shared/engine/deployment/ownership/take-over.ts'
import { error } from '../shared/errors/error.ts'
import type { PendingNote, StackRecord } from '../shared/ports/catalog.ts'
import type { BlobHash, DeploymentId, StackId } from '../shared/records/ids.ts'
import type { DeploymentResult } from '../shared/records/log.ts'
import { envelopeOf } from '../shared/state/snapshot-codec.ts'
import { verifyIntegrity } from '../shared/state/snapshot-integrity.ts'
import { pendingOperationsOf } from '../shared/state/pending.ts'
import type { StoredDeployment } from '../shared/state/stored.ts'

/** An edit of a stack's state, in its sealed form. */
export interface StateEdit {
  readonly command: 'stack import' | 'state'
  /** Called within the deployment, and usually once before to find errors early. */
  readonly edit: (state: StoredDeployment) => StoredDeployment
  /** Pending operations that the edit drops, for the history. */
  readonly dropped?: readonly PendingNote[]
}

/**
 * Edits a state in a short deployment, which excludes every other deployment of the stack. Throws
 * STACK_BUSY, and the errors of `applyEdit`. After an error nothing is published. An edit that
 * fails before its deployment starts is not in the history.
 */
export async function editState(
  ports: GeneratorPorts,
  stack: StackId,
  { command, edit, dropped }: StateEdit,
): Promise<{ readonly version: number }> {
  const startOptions = { command, message: '', holder: ports.holder }
  const record = await ports.catalog.getStack(stack)
  if (record?.current === '') await applyEdit(ports, record, { command, edit })
  const startResult = await ports.catalog.start(stack, { ...startOptions, at: ports.clock.now() })
  if (startResult.kind === 'busy') {
    const holderStatus = await readHolderStatus(ports, startResult.deployment)
    if (holderStatus.kind === 'held')
      throw createBusyError(
        startResult.deployment,
        holderStatus.holder,
        'Wait for the other deployment, or end it with `antichain cancel`.',
      )
    if (holderStatus.kind === 'dead') await closeDeadDeployment(ports, startResult.deployment)
    return editState(ports, stack, { command, edit, ...(dropped === undefined ? {} : { dropped }) })
  }
  ports.ownDeployments?.add(startResult.deployment)
  try {
    return await publishEdit(ports, startResult.deployment, { stack, command, edit, dropped })
  } finally {
    ports.ownDeployments?.delete(startResult.deployment)
  }
}

/** Publishes the edit as a deployment. */
async function publishEdit(
  ports: GeneratorPorts,
  deployment: DeploymentId,
  change: Omit<StateEdit, 'dropped'> & {
    readonly stack: StackId
    readonly dropped: StateEdit['dropped']
  },
): Promise<{ readonly version: number }> {
  const { stack, command, edit, dropped } = change
  if (!(await ports.control.create(deployment, ports.holder)))
    throw error('DEPLOYMENT_TAKEN_OVER', 'another process considered this edit dead and closed it')
  const record = await ports.catalog.getStack(stack)
  if (record === undefined) throw error('STACK_NOT_FOUND', `the stack '${stack}' does not exist`)
  let version = record.version
  let result: DeploymentResult = 'failed'
  try {
    const state = await applyEdit(ports, record, { command, edit })
    const snapshot = await putState(ports, state)
    const publication = await ports.catalog.publish(stack, record.version, snapshot)
    if (publication.kind === 'conflict')
      throw error('STORE_CONFLICT', `the snapshot of ${stack} was changed concurrently`)
    version = publication.version
    result = 'succeeded'
    return { version }
  } finally {
    await ports.control.close(deployment)
    const end = { at: ports.clock.now(), result, changes: {}, version }
    const hasDropped = result === 'succeeded' && dropped !== undefined
    await ports.catalog.release(deployment, hasDropped ? { ...end, dropped } : end)
  }
}

/**
 * Applies an edit to the state of a stack. With the command `state`, a valid state must stay valid,
 * but an invalid state may be repaired step by step. Its secrets manager changes only when no late
 * outcome can arrive, because outcomes are sealed with the previous one. Throws the errors of
 * `edit`, PENDING_STILL_RUNS, STATE_INTEGRITY.
 */
async function applyEdit(
  ports: GeneratorPorts,
  { id, snapshot }: Pick<StackRecord, 'id' | 'snapshot'>,
  { command, edit }: Pick<StateEdit, 'command' | 'edit'>,
): Promise<StoredDeployment> {
  const before = await readSnapshotBlob(ports.blobs, snapshot)
  const after = edit(before)
  if (command !== 'state') return after
  for (const urn of findDroppedPending(before, after))
    await requireLateWindowOver(ports, before, urn)
  if (JSON.stringify(before.secrets_providers) !== JSON.stringify(after.secrets_providers)) {
    await requireLateWindowOver(ports, before)
    await requireNoLateOutcomes(ports, id, before)
  }
  const fault = verifyIntegrity(before) === undefined ? verifyIntegrity(after) : undefined
  if (fault !== undefined)
    throw error('STATE_INTEGRITY', `the edit would make the state invalid: ${fault}`)
  return after
}

/** Stores a state as a blob, to which no stack refers yet. */
export function putState(
  ports: Pick<GeneratorPorts, 'blobs'>,
  state: StoredDeployment,
): Promise<BlobHash> {
  return ports.blobs.put(Buffer.from(JSON.stringify(envelopeOf(state))))
}

/** Returns the URNs of dropped pending operations whose resources are not in the edited state. */
function findDroppedPending(before: StoredDeployment, edited: StoredDeployment): readonly string[] {
  const remainingPending = new Set(pendingOperationsOf(edited).map(({ resource }) => resource.urn))
  const resourceUrns = new Set((edited.resources ?? []).map(({ urn }) => urn))
  const urns = pendingOperationsOf(before).map(({ resource }) => resource.urn)
  return urns.filter(urn => !remainingPending.has(urn) && !resourceUrns.has(urn))
}
