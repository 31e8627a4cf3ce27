import { limits } from '../../../config/limits.ts'
import { assert } from '../../../errors/error.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { Outcome } from '../../../records/head.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { getItems } from './batches.ts'
import { createHeads, type HeadDeps } from './heads.ts'
import { type Item, itemOf, text } from './item.ts'
import { journalKeys as keys } from './keys.ts'
import { formOf, jsonIn, readableItem } from './stored.ts'
import { getItem, putItem } from './table.ts'

/** Names one attempt. */
interface Attempt {
  readonly deployment: DeploymentId
  readonly operation: OperationId
  readonly attempt: number
}

/** Heads and outcomes in the journal; an outcome is put where none is, and never changed. */
export function createOperations(deps: HeadDeps): OperationsPort {
  const { journal, blocks } = deps
  const heads = createHeads(deps)
  const outcomesOf = async (
    places: readonly Attempt[],
  ): Promise<ReadonlyMap<OperationId, Outcome>> => {
    const items = await getItems(
      journal,
      places.map(one => keys.outcome(one.deployment, one.operation, one.attempt)),
    )
    const byKey = new Map(items.map(item => [text(item, 'pk'), item]))
    const found = places.flatMap(place => {
      const item = byKey.get(keys.head(place.deployment, place.operation).pk)
      return item === undefined ? [] : [[place.operation, outcomeIn(place, item)] as const]
    })
    return new Map(found)
  }
  return {
    ...heads,
    heads: async (deployment, operations) => {
      assertFew(operations)
      return heads.heads(deployment, operations)
    },
    putOutcome: async (deployment, outcome) => {
      const { operation, attempt } = outcome
      await blocks.note(deployment, operation)
      await putItem(journal, {
        key: keys.outcome(deployment, operation, attempt),
        item: { ...formOf('outcome', journal), ...itemOf({ record: JSON.stringify(outcome) }) },
        ifAbsent: true,
      })
    },
    outcome: async (deployment, operation, attempt) => {
      const item = await getItem(journal, keys.outcome(deployment, operation, attempt))
      return item === undefined ? undefined : outcomeIn({ deployment, operation, attempt }, item)
    },
    ends: async (deployment, operations) => {
      assertFew(operations)
      const all = await heads.heads(deployment, operations)
      const ended = [...all].flatMap(([operation, { end }]) =>
        end === undefined ? [] : [{ deployment, operation, attempt: end.attempt }],
      )
      // A join ends without an attempt, and so without an outcome.
      const outcomes = await outcomesOf(ended.filter(({ attempt }) => attempt > 0))
      const ends = [...all].map(([id, head]) => {
        const outcome = outcomes.get(id)
        return [id, outcome === undefined ? { head } : { head, outcome }] as const
      })
      return new Map(ends)
    },
  }
}

function assertFew(operations: readonly OperationId[]): void {
  assert(operations.length <= limits.idsPerReadMax, 'a read names at most 500 operations')
}

function outcomeIn(place: Attempt, item: Item): Outcome {
  const { deployment, operation, attempt } = place
  const about = { kind: 'outcome', keys: { deployment, operation, attempt } } as const
  readableItem('outcome', about.keys, item)
  return jsonIn(about, item, 'record', isOutcome)
}

function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'object' && value !== null && 'verdict' in value && 'attempt' in value
}
