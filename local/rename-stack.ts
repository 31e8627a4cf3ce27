import { requireNoLateOutcomes } from '../shared/engine/deployment/recovery/late-outcomes.ts'
import { requireLateWindowOver } from '../shared/engine/deployment/retention/late-window.ts'
import { readSnapshotBlob } from '../shared/engine/deployment/state/snapshot-blob.ts'
import { error } from '../shared/errors/error.ts'
import type { EmbeddedPlatform } from '../shared/platform/embedded/embedded-platform.ts'
import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'
import { putState } from './edit-state.ts'
import { type StackId, stackPartsOf } from '../shared/records/ids.ts'
import { renameStackInState } from '../shared/state/edits/rename-stack.ts'

/**
 * Renames a stack, possibly into another project, including its URNs. Throws STACK_NOT_FOUND,
 * STACK_EXISTS, STACK_BUSY, PENDING_STILL_RUNS, STORE_CONFLICT.
 */
export async function renameStack(
  platform: Pick<EmbeddedPlatform, 'renames'>,
  ports: GeneratorPorts,
  { from, to }: { readonly from: StackId; readonly to: StackId },
): Promise<void> {
  const { catalog, blobs, clock } = ports
  const record = await catalog.getStack(from)
  if (record === undefined) throw error('STACK_NOT_FOUND', `the stack '${from}' does not exist`)
  if ((await catalog.getStack(to)) !== undefined) throw stackExistsError(to)
  if (record.current !== '') throw stackBusyError(from)
  const { version: expected } = record
  let snapshot: typeof record.snapshot = ''
  if (record.snapshot !== '') {
    const before = await readSnapshotBlob(blobs, record.snapshot)
    await requireLateWindowOver(ports, before)
    await requireNoLateOutcomes(ports, from, before)
    const renamedState = renameStackInState(before, stackPartsOf(from), stackPartsOf(to))
    snapshot = await putState(ports, renamedState)
  }
  const renameResult = await platform.renames.rename(from, to, {
    expected,
    snapshot,
    at: clock.now(),
  })
  if (renameResult === 'exists') throw stackExistsError(to)
  if (renameResult === 'busy') throw stackBusyError(from)
  if (renameResult !== 'renamed')
    throw error('STORE_CONFLICT', `the stack ${from} was changed concurrently`)
}

function stackExistsError(id: StackId): Error {
  const { project, stack } = stackPartsOf(id)
  return error('STACK_EXISTS', `the stack '${stack}' of project '${project}' already exists`)
}

function stackBusyError(id: StackId): Error {
  return error('STACK_BUSY', `a deployment of ${id} is running, interrupted, or waiting`, {
    hint: 'Wait for it, or end it with `antichain cancel`.',
  })
}
