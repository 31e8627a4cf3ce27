import { lateOutcomeKeyOf, type LateOutcome } from '../records/late-outcome.ts'
import {
  hasProvider,
  isReplacementPending,
  pendingOperationsOf,
  withoutPendingReplacement,
  withPendingOperations,
  withResource,
} from '../state/pending.ts'
import { readTextField } from '../state/stored-fields.ts'
import type { StoredDeployment, StoredOperation } from '../state/stored.ts'

/** The result of applying the late outcomes in the inbox of a stack to its state. */
export interface LateOutcomesResult {
  readonly state: StoredDeployment
  /** Keys of the outcomes that the state now contains. The others stay in the inbox. */
  readonly keys: readonly string[]
  /** One message per object that was added to the state, for the user. */
  readonly messages: readonly string[]
}

/**
 * Applies late outcomes to a state. An object that the state already contains is skipped. If the
 * create of an object is still pending and its URN is free, the object becomes the resource, and
 * the pending operation is removed. Any other object is added as a resource to delete, because the
 * state has changed since the create. An object whose provider is gone stays in the inbox, because
 * no valid state could contain it (I9).
 */
export function applyLateOutcomes(
  state: StoredDeployment,
  outcomes: readonly LateOutcome[],
): LateOutcomesResult {
  const keys: string[] = []
  const messages: string[] = []
  let currentState = state
  for (const outcome of outcomes) {
    const nextState = applyLateOutcome(currentState, outcome, messages)
    if (nextState === undefined) continue
    keys.push(lateOutcomeKeyOf(outcome))
    currentState = nextState
  }
  return { state: currentState, keys, messages }
}

/**
 * Returns the state after one outcome, and adds a message for an added object. Returns undefined if
 * the outcome stays in the inbox.
 */
function applyLateOutcome(
  state: StoredDeployment,
  outcome: LateOutcome,
  messages: string[],
): StoredDeployment | undefined {
  const { urn } = outcome
  const id = readTextField(outcome.state, 'id')
  // A resource that was deleted for its replacement does not count, because the replacement may
  // have the same id.
  const resources = (state.resources ?? []).filter(resource => !isReplacementPending(resource))
  if (resources.some(resource => resource.urn === urn && resource['id'] === id)) return state
  if (!hasProvider(state.resources ?? [], outcome.state)) return undefined
  const pendingOperation = pendingOperationsOf(state).find(operation =>
    isOperationOf(operation, outcome),
  )
  const isUrnFree = !resources.some(
    ({ urn: otherUrn, delete: isDeleted }) => otherUrn === urn && isDeleted !== true,
  )
  const isResolved = pendingOperation !== undefined && isUrnFree
  messages.push(
    isResolved
      ? `the create of '${urn}' succeeded late: its id is '${id}'`
      : `the create of '${urn}' succeeded too late for this state; its object '${id}' will be deleted`,
  )
  const remainingState = withoutOperation(state, pendingOperation)
  if (isResolved) return withResource(withoutPendingReplacement(remainingState, urn), outcome.state)
  return withResource(remainingState, { ...outcome.state, delete: true })
}

function isOperationOf({ origin }: StoredOperation, outcome: LateOutcome): boolean {
  return (
    origin?.deployment === outcome.deployment &&
    origin.operation === outcome.operation &&
    origin.attempt === outcome.attempt
  )
}

function withoutOperation(
  state: StoredDeployment,
  operation: StoredOperation | undefined,
): StoredDeployment {
  if (operation === undefined) return state
  const remainingOperations = pendingOperationsOf(state).filter(
    pendingOperation => pendingOperation !== operation,
  )
  return withPendingOperations(state, remainingOperations)
}
