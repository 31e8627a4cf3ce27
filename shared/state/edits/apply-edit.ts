import { createHash } from 'node:crypto'
import { createError } from '../../errors/error.ts'
import {
  clearPendingOperations,
  importPendingCreate,
  pendingOperationsOf,
  withPendingOperations,
} from '../pending.ts'
import type { StoredDeployment } from '../stored.ts'
import { deleteResources } from './delete-resources.ts'
import { importState, refuseForeignResources, requireSealed } from './import-state.ts'
import { setResourceFlags } from './set-resource-flags.ts'
import { promoteSnippet } from './promote-snippet.ts'
import { renameResourceInState } from './rename-resource.ts'
import type { StackNames } from './rename-stack-in-state.ts'
import { repairState } from './repair.ts'
import { rollBackState } from './roll-back.ts'
import type { EditedState, StateEdit } from './state-edit.ts'

/** The states and names that an edit needs. */
export interface EditInput {
  /** The state before the edit. */
  readonly before: StoredDeployment
  /** The state to which the edit refers, by its SHA-256 or version. Undefined: none. */
  readonly namedState: StoredDeployment | undefined
  /** The names of the edited stack. */
  readonly names: StackNames
}

/**
 * Applies an edit to a state. Pure. Throws the errors of the function that `stateEditForm` names
 * for the kind of the edit. Throws STORE_CONFLICT when the state was changed after the sender read
 * it, and STATE_INVALID when its replacement has secrets in plaintext.
 */
export function applyStateEdit(edit: StateEdit, input: EditInput): EditedState {
  // Every edit that uses `namedState` names a state, so the default has no effect.
  const { before, namedState = before, names } = input
  switch (edit.kind) {
    case 'import':
      return importState(namedState, { before, names, force: edit.force })
    case 'resources':
      requireReplaceable(before, namedState, edit.expected)
      refuseForeignResources(namedState, { before, names })
      return replaceResources(before, namedState)
    case 'secrets':
      requireReplaceable(before, namedState, edit.expected)
      return replaceSecrets(before, namedState)
    case 'rollback':
      if (edit.expected !== undefined && digestOfResources(before) !== edit.expected)
        throw createConflictError()
      return rollBackState(before, namedState, { version: edit.version, names })
    case 'delete': {
      const { state, forcedUrns, namedCount } = deleteResources(before, edit)
      const notices = forcedUrns.map(
        urn => `deleting protected resource ${urn} due to presence of --force`,
      )
      return { state, count: namedCount, notices }
    }
    case 'mark':
      return { ...setResourceFlags(before, edit.urns, edit), notices: [] }
    case 'rename':
      return toEditedState(renameResourceInState(before, edit.urn, edit.name))
    case 'promote':
      return { ...promoteSnippet(before, edit.snippet), notices: [] }
    case 'repair':
      return toEditedState(repairState(before)?.state ?? before)
    case 'pending import':
      return toEditedState(importPendingCreate(before, edit.urn, edit.id))
    case 'pending clear':
      return toEditedState(clearPendingOperations(before, edit.urn))
  }
}

/** Returns the SHA-256 of a state's resources. */
export function digestOfResources({ resources = [] }: StoredDeployment): string {
  return createHash('sha256').update(JSON.stringify(resources)).digest('hex')
}

function toEditedState(state: StoredDeployment): EditedState {
  return { state, count: 1, notices: [] }
}

/**
 * Requires a replacement with sealed secrets, and a state whose resources have the expected digest.
 * Throws STATE_INVALID, STORE_CONFLICT.
 */
function requireReplaceable(
  before: StoredDeployment,
  replacement: StoredDeployment,
  expected: string,
): void {
  requireSealed(replacement)
  if (digestOfResources(before) !== expected) throw createConflictError()
}

/**
 * Replaces a state except for its pending operations, because exports do not contain the origins of
 * pending operations.
 */
function replaceResources(before: StoredDeployment, replacement: StoredDeployment): EditedState {
  const state = withPendingOperations(replacement, pendingOperationsOf(before))
  return { state, count: state.resources?.length ?? 0, notices: [] }
}

/**
 * Replaces a state by the same state with secrets under another secrets manager. Pending operations
 * keep their origins.
 */
function replaceSecrets(before: StoredDeployment, replacement: StoredDeployment): EditedState {
  const pendingAfter = pendingOperationsOf(replacement)
  const pending = pendingOperationsOf(before).map((operation, index) => {
    const resealed = pendingAfter[index]
    if (resealed?.resource.urn !== operation.resource.urn || resealed.type !== operation.type)
      throw createConflictError()
    return { ...operation, resource: resealed.resource }
  })
  if (pendingAfter.length !== pending.length) throw createConflictError()
  return toEditedState(withPendingOperations(replacement, pending))
}

function createConflictError(): Error {
  return createError('STORE_CONFLICT', 'the state was changed concurrently')
}
