import { createError } from '../../errors/error.ts'
import { isUrn, urnPartsOf } from '../../names/urn.ts'
import { pendingOperationsOf, withPendingOperations } from '../pending.ts'
import { haveSameKey } from '../same-key.ts'
import type { StoredDeployment } from '../stored.ts'
import { renameStackInState, type StackNames } from './rename-stack-in-state.ts'
import type { EditedState } from './state-edit.ts'

/**
 * Replaces the state `before` of a stack by the `earlier` state of a version. The pending
 * operations of `before` stay, because their results are still unknown. Those of the version are
 * dropped, because a later deployment resolved them. The URNs get the current names of the stack.
 * The secrets manager of `before` stays, because the pending operations need it. Throws
 * SECRETS_PROVIDER_CHANGED when the secrets of the version have another key.
 */
export function rollBackState(
  before: StoredDeployment,
  earlier: StoredDeployment,
  options: { readonly version: number; readonly names: StackNames },
): EditedState {
  const renamed = withCurrentNames(earlier, options.names)
  requireSameManager(before, renamed, options.version)
  const { manifest, secrets_providers: earlierManager, ...fields } = renamed
  const { integrity_error: _error, ...metadata } = renamed.metadata
  const manager = before.secrets_providers ?? earlierManager
  const managerField = manager === undefined ? {} : { secrets_providers: manager }
  const keptOperations = pendingOperationsOf(before)
  const state = withPendingOperations(
    { manifest, ...managerField, ...fields, metadata },
    keptOperations,
  )
  const notices = keptOperations.map(
    ({ resource, type }) => `the pending operation '${type}' of ${resource.urn} stays`,
  )
  return { state, count: state.resources?.length ?? 0, notices }
}

function requireSameManager(
  { secrets_providers: currentManager }: StoredDeployment,
  { secrets_providers: earlierManager }: StoredDeployment,
  version: number,
): void {
  if (currentManager === undefined || earlierManager === undefined) return
  if (JSON.stringify(currentManager) === JSON.stringify(earlierManager)) return
  if (haveSameKey(currentManager, earlierManager)) return
  throw createError(
    'SECRETS_PROVIDER_CHANGED',
    `the secrets of version ${version} have another key than those of the current state`,
    {
      hint: 'Export that version with `antichain stack export --version`, and import the file: its secrets are encrypted again.',
    },
  )
}

/** Returns an earlier state of a stack with the current names of the stack in its URNs. */
export function withCurrentNames(earlier: StoredDeployment, names: StackNames): StoredDeployment {
  const firstUrn = earlier.resources?.find(({ urn }) => isUrn(urn))?.urn
  if (firstUrn === undefined || !isUrn(firstUrn)) return earlier
  const { project, stack } = urnPartsOf(firstUrn)
  if (project === names.project && stack === names.stack) return earlier
  return renameStackInState(earlier, { project, stack }, names)
}
