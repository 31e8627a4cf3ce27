import { createError } from '../../errors/error.ts'
import { isUrn } from '../../names/urn.ts'
import { findForeignResources } from '../foreign-resources.ts'
import { pendingOperationsOf, withPendingOperations } from '../pending.ts'
import { containsPlaintextSecret } from '../plaintext-secrets.ts'
import { verifyIntegrity } from '../snapshot-integrity.ts'
import type { StoredDeployment } from '../stored.ts'
import type { StackNames } from './rename-stack-in-state.ts'
import type { EditedState } from './state-edit.ts'

/**
 * Replaces the state of a stack by an imported one. Pending operations of both states are dropped,
 * and the notices name their resources. Throws STATE_INVALID for an invalid URN or a secret in
 * plaintext, even with `force`. Without `force`, throws STATE_FOREIGN for a resource of another
 * stack, and STATE_INTEGRITY for a broken rule of states. Without `force`, also throws
 * STACK_NOT_EMPTY for an imported state without resources, if the stack has resources. Source:
 * docs/spec/state-format.md#export-and-import.
 */
export function importState(
  imported: StoredDeployment,
  options: {
    readonly before: StoredDeployment
    readonly names: StackNames
    readonly force: boolean
  },
): EditedState {
  const { before, names, force } = options
  requireValidUrns(imported)
  requireSealed(imported)
  const faults = [...findForeignFaults(imported, names), ...findViolation(imported)]
  const [firstFault] = faults
  if (firstFault !== undefined && !force)
    throw createError(firstFault.code, firstFault.message, {
      hint: 'Correct the file, or pass --force to import it anyway.',
    })
  if (!force) refuseEmptyState(before, imported)
  const dropped = pendingOperationsOf(imported).map(({ resource, type }) => ({
    urn: resource.urn,
    type,
  }))
  const { integrity_error: _mark, ...metadata } = imported.metadata
  return {
    state: withPendingOperations({ ...imported, metadata }, []),
    count: imported.resources?.length ?? 0,
    notices: [
      ...faults.map(({ message }) => message),
      ...dropped.map(({ urn, type }) => `the pending operation '${type}' of ${urn} was removed`),
      ...pendingOperationsOf(before)
        .filter(
          ({ resource, type }) =>
            !dropped.some(operation => operation.urn === resource.urn && operation.type === type),
        )
        .map(
          ({ resource, type }) =>
            `the pending operation '${type}' of ${resource.urn} was removed with the previous state`,
        ),
    ],
    dropped,
  }
}

/** Throws STATE_INVALID for a resource with an invalid URN. */
function requireValidUrns({ resources = [] }: StoredDeployment): void {
  const invalidResource = resources.find(({ urn }) => !isUrn(urn))
  if (invalidResource === undefined) return
  throw createError(
    'STATE_INVALID',
    `the state has a resource with an invalid URN: '${invalidResource.urn}'`,
  )
}

/** Throws STATE_INVALID for a state that contains a secret in plaintext. */
export function requireSealed(imported: StoredDeployment): void {
  const resources = [
    ...(imported.resources ?? []),
    ...pendingOperationsOf(imported).map(({ resource }) => resource),
  ]
  const plainResource = resources.find(containsPlaintextSecret)
  if (plainResource === undefined) return
  throw createError('STATE_INVALID', `the secrets of ${plainResource.urn} are not encrypted`, {
    hint: 'Import the file with `antichain stack import`, which encrypts its secrets.',
  })
}

/** A reason to refuse a state without `force`. */
interface Fault {
  readonly code: 'STATE_FOREIGN' | 'STATE_INTEGRITY'
  readonly message: string
}

/**
 * Throws STATE_FOREIGN for the first resource of another stack whose URN the state `before` does
 * not contain.
 */
export function refuseForeignResources(
  after: StoredDeployment,
  { before, names }: { readonly before: StoredDeployment; readonly names: StackNames },
): void {
  const urnsBefore = new Set(before.resources?.map(({ urn }) => urn))
  const resources = after.resources?.filter(({ urn }) => !urnsBefore.has(urn)) ?? []
  const [fault] = findForeignFaults({ ...after, resources }, names)
  if (fault !== undefined)
    throw createError(fault.code, fault.message, { hint: 'Correct the URN in the edited state.' })
}

function findForeignFaults(state: StoredDeployment, target: StackNames): readonly Fault[] {
  return findForeignResources(state, target).map(({ urn }) => ({
    code: 'STATE_FOREIGN',
    message: `the resource ${urn} does not belong to stack '${target.stack}' of project '${target.project}'`,
  }))
}

/** Returns the first violation of the state's rules, if any. */
function findViolation(imported: StoredDeployment): readonly Fault[] {
  const message = verifyIntegrity(imported)
  return message === undefined ? [] : [{ code: 'STATE_INTEGRITY', message }]
}

/**
 * Refuses a state without resources for a stack that has resources, because such an import is
 * usually a mistake. Throws STACK_NOT_EMPTY.
 */
function refuseEmptyState(before: StoredDeployment, after: StoredDeployment): void {
  const count = before.resources?.length ?? 0
  if (count === 0 || (after.resources?.length ?? 0) > 0) return
  throw createError('STACK_NOT_EMPTY', `the stack has ${count} resources, but the file has none`, {
    hint: 'Pass --force to remove them from the state; nothing is deleted at the providers.',
  })
}
