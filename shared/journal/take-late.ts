import { lateKeyOf, type LateOutcome } from '../records/late.ts'
import {
  hasProvider,
  isReplaced,
  pendingOf,
  withoutReplaced,
  withPending,
  withResource,
} from '../state/pending.ts'
import { textIn } from '../state/stored-fields.ts'
import type { StoredDeployment, StoredOperation } from '../state/stored.ts'

/** What became of an inbox. */
export interface Taken {
  readonly state: StoredDeployment
  /** Keys of what is in the state now, or was already; the others stay in the inbox. */
  readonly keys: readonly string[]
  /** One sentence for each object that turned up, for people. */
  readonly told: readonly string[]
}

/**
 * The state with what turned up late: an object that is in it already is left; one whose own
 * operation is pending becomes the resource, and the operation is over; any other is a resource to
 * be deleted, for the state went on without it. One whose provider is gone stays in the inbox: no
 * state could hold it. Source: docs/architecture.md#take-over.
 */
export function takeLate(state: StoredDeployment, items: readonly LateOutcome[]): Taken {
  const keys: string[] = []
  const told: string[] = []
  let now = state
  for (const item of items) {
    const next = takeOne(now, item, told)
    if (next === undefined) continue
    keys.push(lateKeyOf(item))
    now = next
  }
  return { state: now, keys, told }
}

function takeOne(
  state: StoredDeployment,
  item: LateOutcome,
  told: string[],
): StoredDeployment | undefined {
  const { urn } = item
  const id = textIn(item.state, 'id')
  // What was deleted for this very replacement may have had its id.
  const resources = (state.resources ?? []).filter(resource => !isReplaced(resource))
  if (resources.some(resource => resource.urn === urn && resource['id'] === id)) return state
  if (!hasProvider(state.resources ?? [], item.state)) return undefined
  const pending = pendingOf(state).find(operation => isOf(operation, item))
  const isFree = !resources.some(({ urn: other, delete: gone }) => other === urn && gone !== true)
  const isResolved = pending !== undefined && isFree
  told.push(
    isResolved
      ? `what became of the create of '${urn}' is known now: it has the id '${id}'`
      : `'${id}' of '${urn}' turned up after the state had gone on; it will be deleted`,
  )
  const rest = without(state, pending)
  if (isResolved) return withResource(withoutReplaced(rest, urn), item.state)
  return withResource(rest, { ...item.state, delete: true })
}

function isOf({ origin }: StoredOperation, item: LateOutcome): boolean {
  return (
    origin?.deployment === item.deployment &&
    origin.operation === item.operation &&
    origin.attempt === item.attempt
  )
}

function without(
  state: StoredDeployment,
  operation: StoredOperation | undefined,
): StoredDeployment {
  if (operation === undefined) return state
  const left = pendingOf(state).filter(other => other !== operation)
  return withPending(state, left)
}
