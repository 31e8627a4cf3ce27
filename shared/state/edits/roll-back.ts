import { error } from '../../errors/error.ts'
import { isUrn, urnPartsOf } from '../../names/urn.ts'
import { pendingOperationsOf, withPendingOperations } from '../pending.ts'
import type { StoredDeployment } from '../stored.ts'
import { renameStackInState, type StackNames } from './rename-stack-in-state.ts'
import type { EditedState } from './state-edit.ts'

/**
 * Replaces the resources of a stack by those of an earlier version. Pending operations of the stack
 * stay, because their results are still unknown. Those of the earlier version are dropped, because
 * a later deployment settled them. A version from before a rename gets the new name. Throws
 * SECRETS_PROVIDER_CHANGED when the secrets of the version have another key.
 */
export function rollBackState(
  before: StoredDeployment,
  target: StoredDeployment,
  options: { readonly version: number; readonly names: StackNames },
): EditedState {
  requireSameManager(before, target, options.version)
  const renamed = withCurrentNames(target, options.names)
  const { integrity_error: _mark, ...metadata } = renamed.metadata
  const keptOperations = pendingOperationsOf(before)
  const state = withPendingOperations({ ...renamed, metadata }, keptOperations)
  const notices = keptOperations.map(
    ({ resource, type }) => `the pending operation '${type}' of ${resource.urn} stays`,
  )
  return { state, count: state.resources?.length ?? 0, notices }
}

function requireSameManager(
  { secrets_providers: current }: StoredDeployment,
  { secrets_providers: earlier }: StoredDeployment,
  version: number,
): void {
  if (current === undefined || earlier === undefined) return
  if (JSON.stringify(current) === JSON.stringify(earlier)) return
  throw error(
    'SECRETS_PROVIDER_CHANGED',
    `the secrets of version ${version} have another key than those of the current state`,
    {
      hint: 'Export that version with `antichain stack export --version`, and import the file: its secrets are encrypted again.',
    },
  )
}

/** Renames the stack in the state of a version from before a rename. */
export function withCurrentNames(target: StoredDeployment, names: StackNames): StoredDeployment {
  const firstUrn = target.resources?.find(({ urn }) => isUrn(urn))?.urn
  if (firstUrn === undefined || !isUrn(firstUrn)) return target
  const { project, stack } = urnPartsOf(firstUrn)
  if (project === names.project && stack === names.stack) return target
  return renameStackInState(target, { project, stack }, names)
}
