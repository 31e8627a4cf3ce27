import { createOpenDeploymentError } from '../../shared/engine/deployment/ownership/stack-busy.ts'
import { requireNoLateOutcomes } from '../../shared/engine/deployment/recovery/read-late-outcomes.ts'
import { requireLateWindowOver } from '../../shared/engine/deployment/retention/late-window.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import { createError, hasCode } from '../../shared/errors/error.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { RenameInput } from '../../shared/ports/stack-renames.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { putState } from './publish-edit.ts'
import { type BlobHash, type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { renameStackInState } from '../../shared/state/edits/rename-stack-in-state.ts'

/** The ports of a rename besides those of a generator. */
type RenamePorts = Pick<Platform, 'renames' | 'requests' | 'archives'>

/**
 * Renames a stack, possibly into another project, including the URNs in its state. Throws
 * STACK_NOT_FOUND, STACK_EXISTS, STACK_BUSY, PENDING_STILL_RUNS, STORE_CONFLICT.
 */
export async function renameStack(
  platform: RenamePorts,
  ports: GeneratorPorts,
  rename: Pick<RenameInput, 'key' | 'placements' | 'by'> & {
    readonly from: StackId
    readonly to: StackId
  },
): Promise<void> {
  const { from, to, ...renameOptions } = rename
  const { catalog, blobs, clock } = ports
  const record = await catalog.getStack(from)
  if (record === undefined)
    throw createError('STACK_NOT_FOUND', `the stack '${from}' does not exist`)
  if ((await catalog.getStack(to)) !== undefined) throw createStackExistsError(to)
  if (record.current !== '') throw await createOpenDeploymentError(ports, record.current)
  const { version: expectedVersion } = record
  let snapshot: typeof record.snapshot = ''
  if (record.snapshot !== '') {
    const before = await readSnapshotBlob(blobs, record.snapshot)
    await requireLateWindowOver(ports, before)
    await requireNoLateOutcomes(ports, from, before)
    const renamedState = renameStackInState(before, stackPartsOf(from), stackPartsOf(to))
    snapshot = await putState(ports, renamedState)
  }
  const renameResult = await platform.renames.rename(from, to, {
    ...renameOptions,
    expectedVersion,
    snapshot,
    program: await copyProgram(platform, from, to),
    at: clock.now(),
  })
  if (renameResult === 'exists') throw createStackExistsError(to)
  if (renameResult === 'busy') throw await createRenameBusyError(ports, from)
  if (renameResult !== 'renamed')
    throw createError('STORE_CONFLICT', `the stack ${from} was changed concurrently`)
}

/**
 * Stores the archive of a stack's program also for another stack, because an archive belongs to one
 * stack. Returns the new name. Returns '' if the stack has no readable program.
 */
async function copyProgram(
  { requests, archives }: RenamePorts,
  from: StackId,
  to: StackId,
): Promise<BlobHash | ''> {
  const name = await requests.getProgram(from)
  if (name === undefined) return ''
  try {
    return await archives.put(to, await archives.get(from, name))
  } catch (thrown) {
    if (hasCode(thrown, 'STATE_INVALID')) return ''
    throw thrown
  }
}

function createStackExistsError(id: StackId): Error {
  const { project, stack } = stackPartsOf(id)
  return createError('STACK_EXISTS', `the stack '${stack}' of project '${project}' already exists`)
}

/** Returns the error for a stack that became busy after the first check. */
async function createRenameBusyError(ports: GeneratorPorts, id: StackId): Promise<Error> {
  const current = (await ports.catalog.getStack(id))?.current ?? ''
  return current === ''
    ? createError('STACK_BUSY', `another request for the stack ${id} is waiting`, {
        hint: 'Wait for its end.',
      })
    : createOpenDeploymentError(ports, current)
}
