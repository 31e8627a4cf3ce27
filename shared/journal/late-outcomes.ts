import { lateKeyOf, type LateOutcome } from '../records/late-outcome.ts'
import {
  hasProvider,
  isReplaced,
  pendingOf,
  withoutReplaced,
  withPending,
  withResource,
} from '../state/pending.ts'
import { readTextField } from '../state/stored-fields.ts'
import type { StoredDeployment, StoredOperation } from '../state/stored.ts'

/** The result of applying an inbox to a state. */
export interface LateOutcomesResult {
  readonly state: StoredDeployment
  /** Keys of the outcomes that the state now contains. The others stay in the inbox. */
  readonly keys: readonly string[]
  /** One message per late object, for the user. */
  readonly messages: readonly string[]
}

/**
 * Applies late outcomes to a state. An object that the state already contains is skipped. An object
 * whose own operation is pending becomes the resource, and the pending operation is removed. Any
 * other object is added as a resource to delete, because the state has changed since. An object
 * whose provider is gone stays in the inbox, because no valid state could contain it. Source:
 * docs/architecture.md#take-over.
 */
export function applyLateOutcomes(
  state: StoredDeployment,
  items: readonly LateOutcome[],
): LateOutcomesResult {
  const keys: string[] = []
  const messages: string[] = []
  let now = state
  for (const item of items) {
    const next = applyLateOutcome(now, item, messages)
    if (next === undefined) continue
    keys.push(lateKeyOf(item))
    now = next
  }
  return { state: now, keys, messages }
}

function applyLateOutcome(
  state: StoredDeployment,
  item: LateOutcome,
  messages: string[],
): StoredDeployment | undefined {
  const { urn } = item
  const id = readTextField(item.state, 'id')
  // The resource that was deleted for this replacement may have had the same id.
  const resources = (state.resources ?? []).filter(resource => !isReplaced(resource))
  if (resources.some(resource => resource.urn === urn && resource['id'] === id)) return state
  if (!hasProvider(state.resources ?? [], item.state)) return undefined
  const pending = pendingOf(state).find(operation => isOperationOf(operation, item))
  const isFree = !resources.some(({ urn: other, delete: gone }) => other === urn && gone !== true)
  const isResolved = pending !== undefined && isFree
  messages.push(
    isResolved
      ? `the create of '${urn}' succeeded late: its id is '${id}'`
      : `the create of '${id}' for '${urn}' succeeded too late for this state; the resource will be deleted`,
  )
  const rest = withoutOperation(state, pending)
  if (isResolved) return withResource(withoutReplaced(rest, urn), item.state)
  return withResource(rest, { ...item.state, delete: true })
}

function isOperationOf({ origin }: StoredOperation, item: LateOutcome): boolean {
  return (
    origin?.deployment === item.deployment &&
    origin.operation === item.operation &&
    origin.attempt === item.attempt
  )
}

function withoutOperation(
  state: StoredDeployment,
  operation: StoredOperation | undefined,
): StoredDeployment {
  if (operation === undefined) return state
  const left = pendingOf(state).filter(other => other !== operation)
  return withPending(state, left)
}
