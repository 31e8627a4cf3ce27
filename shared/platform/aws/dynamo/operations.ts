import { limits } from '../../../config/limits.ts'
import { assert } from '../../../errors/error.ts'
import type { OperationsPort } from '../../../ports/records.ts'
import type { Outcome } from '../../../records/head.ts'
import type { DeploymentId, OperationId } from '../../../records/ids.ts'
import { getItems } from './table/batch-items.ts'
import { createHeads } from './operation-heads.ts'
import type { HeadDeps } from './write-head.ts'
import { type Item, toItem, readText } from './table/item.ts'
import { journalKeys as keys } from './record-keys.ts'
import { recordAttributesOf, parseJsonAttribute, requireReadableItem } from './record-format.ts'
import { getItem, putItem } from './table/table.ts'

/** The key of one attempt. */
interface AttemptKey {
  readonly deployment: DeploymentId
  readonly operation: OperationId
  readonly attempt: number
}

/**
 * Creates the port of operations: heads and outcomes in the journal table. An outcome is put if
 * absent and never changed.
 */
export function createOperations(deps: HeadDeps): OperationsPort {
  const { journalTable, blocks } = deps
  const heads = createHeads(deps)
  const readOutcomes = async (
    attemptKeys: readonly AttemptKey[],
  ): Promise<ReadonlyMap<OperationId, Outcome>> => {
    const items = await getItems(
      journalTable,
      attemptKeys.map(attemptKey =>
        keys.outcome(attemptKey.deployment, attemptKey.operation, attemptKey.attempt),
      ),
    )
    const itemsByKey = new Map(items.map(item => [readText(item, 'pk'), item]))
    const outcomeEntries = attemptKeys.flatMap(attemptKey => {
      const item = itemsByKey.get(keys.head(attemptKey.deployment, attemptKey.operation).pk)
      return item === undefined
        ? []
        : [[attemptKey.operation, parseOutcomeItem(attemptKey, item)] as const]
    })
    return new Map(outcomeEntries)
  }
  return {
    ...heads,
    getHeads: async (deployment, operations) => {
      assertReadLimit(operations)
      return heads.getHeads(deployment, operations)
    },
    putOutcome: async (deployment, outcome) => {
      const { operation, attempt } = outcome
      // Readers find the operation's partition by its block, so the block is recorded first.
      await blocks.register(deployment, operation)
      await putItem(journalTable, {
        key: keys.outcome(deployment, operation, attempt),
        item: {
          ...recordAttributesOf('outcome', journalTable),
          ...toItem({ record: JSON.stringify(outcome) }),
        },
        ifAbsent: true,
      })
    },
    getOutcome: async (deployment, operation, attempt) => {
      const item = await getItem(journalTable, keys.outcome(deployment, operation, attempt))
      return item === undefined
        ? undefined
        : parseOutcomeItem({ deployment, operation, attempt }, item)
    },
    getEnds: async (deployment, operations) => {
      assertReadLimit(operations)
      const headsById = await heads.getHeads(deployment, operations)
      const endedAttempts = [...headsById].flatMap(([operation, { end }]) =>
        end === undefined ? [] : [{ deployment, operation, attempt: end.attempt }],
      )
      // A join ends without an attempt, so it has no outcome.
      const outcomes = await readOutcomes(endedAttempts.filter(({ attempt }) => attempt > 0))
      const ends = [...headsById].map(([id, head]) => {
        const outcome = outcomes.get(id)
        return [id, outcome === undefined ? { head } : { head, outcome }] as const
      })
      return new Map(ends)
    },
  }
}

function assertReadLimit(operations: readonly OperationId[]): void {
  assert(operations.length <= limits.idsPerReadMax, 'a read has more than 500 operations')
}

function parseOutcomeItem(attemptKey: AttemptKey, item: Item): Outcome {
  const { deployment, operation, attempt } = attemptKey
  const record = { kind: 'outcome', keys: { deployment, operation, attempt } } as const
  requireReadableItem('outcome', record.keys, item)
  return parseJsonAttribute(record, item, 'record', isOutcome)
}

function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'object' && value !== null && 'verdict' in value && 'attempt' in value
}
