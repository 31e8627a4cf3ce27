import type { ShownOperation } from '../api/operation-views.ts'
import { countKeyOf, createEmptyCounts, type StateCounts } from './count-states.ts'
import type { OperationStore } from './operation-store.ts'
import {
  createPlannedRow,
  isDefaultProvider,
  type OperationRow,
  rowKeyOf,
} from './operation-row.ts'

/** The rows of a deployment: those of events, and planned operations without an event. */
export interface RowTable {
  /** Sets a row that an event reported. It replaces that of the planned operation. */
  readonly report: (row: OperationRow) => void
  /**
   * Adds recorded operations. A row that an event reported is kept, because events arrive earlier.
   */
  readonly addOperations: (operations: readonly ShownOperation[]) => void
  /** Returns the operations whose recorded stage is older than their events. */
  readonly listStale: (store: Pick<OperationStore, 'find'>) => readonly number[]
  readonly listRows: () => readonly OperationRow[]
  readonly readCounts: () => StateCounts
}

/**
 * Creates a table without rows. Each change costs the same for any number of rows. Only `listRows`
 * copies all of them.
 */
export function createRowTable(): RowTable {
  const reported = createCountedRows()
  const planned = createCountedRows()
  /** The ids of the recorded operations of each resource. */
  const idsByUrn = new Map<string, Set<number>>()
  /** The resources that events reported, and those of them with an ended operation. */
  const reportedUrns = new Set<string>()
  const endedUrns = new Set<string>()
  /** The resources whose recorded stages may be older than their events. */
  const doubtfulUrns = new Set<string>()
  const isStale = ({ op, urn, stage }: ShownOperation): boolean => {
    if (stage === 'ended') return false
    // An ended refresh is reported under another kind: that of the change that it found.
    if (op === 'refresh' && endedUrns.has(urn)) return true
    const state = reported.get(rowKeyOf({ op, urn }))?.state
    if (state === undefined) return false
    return state === 'running' ? stage !== 'running' : true
  }
  return {
    report(row) {
      const { urn, state } = row
      const readKey = rowKeyOf({ op: 'refresh', urn })
      if (state !== 'running' && reported.get(readKey)?.state === 'running')
        reported.remove(readKey)
      planned.remove(row.key)
      planned.remove(readKey)
      reportedUrns.add(urn)
      doubtfulUrns.add(urn)
      if (state !== 'running') endedUrns.add(urn)
      // The replace step only announces the create and the delete, which have rows of their own.
      if (row.op !== 'replace') reported.set(row)
    },
    addOperations(operations) {
      for (const operation of operations) {
        const { id, op, urn, stage } = operation
        const ids = idsByUrn.get(urn) ?? new Set()
        idsByUrn.set(urn, ids.add(id))
        if (reportedUrns.has(urn)) doubtfulUrns.add(urn)
        const key = rowKeyOf({ op, urn })
        const isReported =
          op === 'refresh' ? reportedUrns.has(urn) : reported.get(key) !== undefined
        const row = createPlannedRow(operation)
        if (stage === 'ended' || isReported || isDefaultProvider(row)) planned.remove(key)
        else planned.set(row)
      }
    },
    listStale(store) {
      const staleIds: number[] = []
      for (const urn of doubtfulUrns) {
        const stale = [...(idsByUrn.get(urn) ?? [])].filter(id => {
          const operation = store.find(id)
          return operation !== undefined && isStale(operation)
        })
        if (stale.length === 0) doubtfulUrns.delete(urn)
        staleIds.push(...stale)
      }
      return staleIds
    },
    listRows: () => [...reported.values(), ...planned.values()],
    readCounts() {
      const counts = createEmptyCounts()
      for (const [key, count] of [...reported.listCounts(), ...planned.listCounts()])
        counts[key] += count
      return counts
    },
  }
}

/** Creates a map of rows by their key, which counts its rows by state. */
function createCountedRows() {
  const rows = new Map<string, OperationRow>()
  const counts = createEmptyCounts()
  const remove = (key: string): void => {
    const row = rows.get(key)
    if (row === undefined) return
    rows.delete(key)
    counts[countKeyOf(row)] -= 1
  }
  return {
    get: (key: string) => rows.get(key),
    set(row: OperationRow): void {
      const earlier = rows.get(row.key)
      if (earlier !== undefined) counts[countKeyOf(earlier)] -= 1
      rows.set(row.key, row)
      counts[countKeyOf(row)] += 1
    },
    remove,
    values: () => rows.values(),
    listCounts: () => Object.entries(counts) as [keyof StateCounts, number][],
  }
}
