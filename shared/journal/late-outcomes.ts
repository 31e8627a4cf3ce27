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

/** What became of an inbox. */
export interface LateOutcomesResult {
  readonly state: StoredDeployment
  /** Keys of what is in the state now, or was already; the others stay in the inbox. */
  readonly keys: readonly string[]
  /** One sentence for each object that turned up, for people. */
  readonly messages: readonly string[]
}

/**
 * The state with what turned up late: an object that is in it already is left; one whose own
 * operation is pending becomes the resource, and the operation is over; any other is a resource to
 * be deleted, for the state went on without it. One whose provider is gone stays in the inbox: no
 * state could hold it. Source: docs/architecture.md#take-over.
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
  // What was deleted for this very replacement may have had its id.
  const resources = (state.resources ?? []).filter(resource => !isReplaced(resource))
  if (resources.some(resource => resource.urn === urn && resource['id'] === id)) return state
  if (!hasProvider(state.resources ?? [], item.state)) return undefined
  const pending = pendingOf(state).find(operation => isOperationOf(operation, item))
  const isFree = !resources.some(({ urn: other, delete: gone }) => other === urn && gone !== true)
  const isResolved = pending !== undefined && isFree
  messages.push(
    isResolved
      ? `what became of the create of '${urn}' is known now: it has the id '${id}'`
      : `'${id}' of '${urn}' turned up after the state had gone on; it will be deleted`,
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
