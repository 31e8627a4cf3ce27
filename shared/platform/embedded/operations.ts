import { limits } from '../../config/limits.ts'
import { assert } from '../../errors/error.ts'
import type { OperationsPort } from '../../ports/records.ts'
import type { Head, Outcome } from '../../records/head.ts'
import type { OperationId } from '../../records/ids.ts'
import type { StoreCall } from './store/methods.ts'

/** Heads and outcomes over the embedded store; every condition is checked in the store. */
export function createOperations(call: StoreCall): OperationsPort {
  return {
    arrive: (deployment, to, from) =>
      call('operations.arrive', { deployment, operation: to, from }),
    begin: (deployment, operation, claim) =>
      call('operations.begin', { deployment, operation, ...claim }),
    giveBack: (deployment, operation, owner, attempt) =>
      call('operations.giveBack', { deployment, operation, owner, attempt }),
    lapse: (deployment, operation, owner, attempt) =>
      call('operations.lapse', { deployment, operation, owner, attempt }),
    putOutcome: async (deployment, outcome) => {
      const { operation, attempt } = outcome
      const text = JSON.stringify(outcome)
      await call('operations.putOutcome', { deployment, operation, attempt, outcome: text })
    },
    outcome: async (deployment, operation, attempt) => {
      const text = await call('operations.outcome', { deployment, operation, attempt })
      return text === null ? undefined : parseOutcome(text)
    },
    select: (deployment, operation, end) =>
      call('operations.select', { deployment, operation, ...end }),
    heads: async (deployment, operations) => {
      assertFew(operations)
      const rows = await call('operations.heads', { deployment, operations })
      return new Map(rows.map(row => [row.operation, row.head]))
    },
    ends: async (deployment, operations) => {
      assertFew(operations)
      const found = new Map<OperationId, { readonly head: Head; readonly outcome?: Outcome }>()
      let rest = operations
      while (rest.length > 0) {
        const page = await call('operations.ends', { deployment, operations: rest })
        for (const { operation, head, outcome } of page.rows) {
          const end = outcome === null ? { head } : { head, outcome: parseOutcome(outcome) }
          found.set(operation, end)
        }
        rest = page.rest
      }
      return found
    },
  }
}

function assertFew(operations: readonly OperationId[]): void {
  assert(operations.length <= limits.idsPerReadMax, 'a read names at most 500 operations')
}

function parseOutcome(text: string): Outcome {
  return JSON.parse(text) as Outcome
}
