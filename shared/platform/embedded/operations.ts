import { limits } from '../../config/limits.ts'
import { assert } from '../../errors/error.ts'
import type { OperationsPort } from '../../ports/records.ts'
import type { Head, Outcome } from '../../records/head.ts'
import type { OperationId } from '../../records/ids.ts'
import type { StoreCall } from './store/methods/store-methods.ts'
import { parseRecordJson } from '../records/record-layouts.ts'

/** Creates the port of heads and outcomes over the embedded store, which checks every condition. */
export function createOperations(call: StoreCall): OperationsPort {
  return {
    arrive: (deployment, operation, origin) =>
      call('operations.arrive', { deployment, operation, from: origin }),
    begin: (deployment, operation, { expectedAttempt, ...beginRequest }) =>
      call('operations.begin', {
        deployment,
        operation,
        attempt: expectedAttempt,
        ...beginRequest,
      }),
    giveBack: (deployment, operation, owner, attempt) =>
      call('operations.giveBack', { deployment, operation, owner, attempt }),
    lapse: (deployment, operation, owner, attempt) =>
      call('operations.lapse', { deployment, operation, owner, attempt }),
    putOutcome: async (deployment, outcome) => {
      const { operation, attempt } = outcome
      const text = JSON.stringify(outcome)
      await call('operations.putOutcome', { deployment, operation, attempt, outcome: text })
    },
    getOutcome: async (deployment, operation, attempt) => {
      const text = await call('operations.outcome', { deployment, operation, attempt })
      if (text === null) return undefined
      return parseOutcome({ deployment, operation, attempt }, text)
    },
    select: (deployment, operation, end) =>
      call('operations.select', { deployment, operation, ...end }),
    getHeads: async (deployment, operations) => {
      assertReadLimit(operations)
      const rows = await call('operations.heads', { deployment, operations })
      return new Map(rows.map(row => [row.operation, row.head]))
    },
    getEnds: async (deployment, operations) => {
      assertReadLimit(operations)
      const ends = new Map<OperationId, { readonly head: Head; readonly outcome?: Outcome }>()
      let unreadIds = operations
      while (unreadIds.length > 0) {
        const page = await call('operations.ends', { deployment, operations: unreadIds })
        for (const { operation, head, outcome } of page.rows) {
          const attempt = head.end?.attempt ?? 0
          const attemptKey = { deployment, operation, attempt }
          const outcomeField =
            outcome === null ? {} : { outcome: parseOutcome(attemptKey, outcome) }
          ends.set(operation, { head, ...outcomeField })
        }
        unreadIds = page.rest
      }
      return ends
    },
  }
}

function assertReadLimit(operations: readonly OperationId[]): void {
  assert(operations.length <= limits.idsPerReadMax, 'a read has more than 500 operations')
}

function parseOutcome(
  keys: { readonly deployment: string; readonly operation: number; readonly attempt: number },
  text: string,
): Outcome {
  return parseRecordJson({ kind: 'outcome', keys }, text, isOutcome)
}

function isOutcome(value: unknown): value is Outcome {
  return typeof value === 'object' && value !== null && 'verdict' in value && 'attempt' in value
}
