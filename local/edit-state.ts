import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'
import { requireLateWindowOver } from '../shared/engine/deployment/retention/late-window.ts'
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
import { pendingOf } from '../shared/state/pending.ts'
import type { StoredDeployment } from '../shared/state/stored.ts'

/** An edit of a stack's state, in its sealed form. */
export interface StateEdit {
  readonly command: 'stack import' | 'state'
  /** Called twice: before the deployment is in the history, and within it. */
  readonly edit: (state: StoredDeployment) => StoredDeployment
  /** Pending operations that the edit drops, for the history. */
  readonly dropped?: readonly PendingNote[]
}

/**
 * Edits a state as a short deployment of its own, so that it excludes every other one. The result
 * must be a valid state. Throws STACK_BUSY, STATE_INTEGRITY and the errors of `edit`. Then nothing
 * is published, and an edit that was refused before its begin is not in the history.
 */
export async function editState(
  ports: GeneratorPorts,
  stack: StackId,
  { command, edit, dropped }: StateEdit,
): Promise<{ readonly version: number }> {
  const launch = { command, message: '', holder: ports.holder }
  const now = await ports.catalog.getStack(stack)
  if (now?.current === '') await applyEdit(ports, now, { command, edit })
  const started = await ports.catalog.start(stack, { ...launch, at: ports.clock.now() })
  if (started.kind === 'busy') {
    const standing = await readHolderStatus(ports, started.deployment)
    if (standing.kind === 'held')
      throw createBusyError(
        started.deployment,
        standing.holder,
        'Wait for the other deployment, or end it with `antichain cancel`.',
      )
    if (standing.kind === 'dead') await closeDeadDeployment(ports, started.deployment)
    return editState(ports, stack, { command, edit, ...(dropped === undefined ? {} : { dropped }) })
  }
  ports.here?.add(started.deployment)
  try {
    return await publishEdit(ports, started.deployment, { stack, command, edit, dropped })
  } finally {
    ports.here?.delete(started.deployment)
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
    const published = await ports.catalog.publish(stack, record.version, snapshot)
    if (published.kind === 'conflict')
      throw error('STORE_CONFLICT', `the snapshot of ${stack} was changed concurrently`)
    version = published.version
    result = 'succeeded'
    return { version }
  } finally {
    await ports.control.close(deployment)
    const end = { at: ports.clock.now(), result, changes: {}, version }
    const isDone = result === 'succeeded' && dropped !== undefined
    await ports.catalog.release(deployment, isDone ? { ...end, dropped } : end)
  }
}

/**
 * Applies an edit to the state of a stack. A valid state must stay valid; an invalid one may be
 * repaired step by step. Throws the errors of `edit`, PENDING_STILL_RUNS, STATE_INTEGRITY.
 */
async function applyEdit(
  ports: GeneratorPorts,
  { snapshot }: Pick<StackRecord, 'snapshot'>,
  { command, edit }: Pick<StateEdit, 'command' | 'edit'>,
): Promise<StoredDeployment> {
  const before = await readSnapshotBlob(ports.blobs, snapshot)
  const after = edit(before)
  if (command !== 'state') return after
  for (const urn of findForgotten(before, after)) await requireLateWindowOver(ports, before, urn)
  const fault = verifyIntegrity(before) === undefined ? verifyIntegrity(after) : undefined
  if (fault !== undefined)
    throw error('STATE_INTEGRITY', `the edit would make the state invalid: ${fault}`)
  return after
}

/** Stores a state as a blob without a reference yet. */
export function putState(
  ports: Pick<GeneratorPorts, 'blobs'>,
  state: StoredDeployment,
): Promise<BlobHash> {
  return ports.blobs.put(Buffer.from(JSON.stringify(envelopeOf(state))))
}

/** Returns the URNs of pending operations that an edit drops without a result. */
function findForgotten(before: StoredDeployment, edited: StoredDeployment): readonly string[] {
  const kept = new Set(pendingOf(edited).map(({ resource }) => resource.urn))
  const known = new Set((edited.resources ?? []).map(({ urn }) => urn))
  const urns = pendingOf(before).map(({ resource }) => resource.urn)
  return urns.filter(urn => !kept.has(urn) && !known.has(urn))
}
