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
  /** Sets the row of an event. It replaces the row of the planned operation. */
  readonly setReported: (row: OperationRow) => void
  /**
   * Adds recorded operations as planned rows. A row of an event is kept, because it is newer than
   * the record.
   */
  readonly addOperations: (operations: readonly ShownOperation[]) => void
  /** Returns the ids of the operations whose recorded stage is older than their events. */
  readonly listStale: (store: Pick<OperationStore, 'find'>) => readonly number[]
  readonly listRows: () => readonly OperationRow[]
  readonly readCounts: () => StateCounts
}

/**
 * Creates a table without rows. The cost of a change does not depend on the number of rows. Only
 * `listRows` reads all rows.
 */
export function createRowTable(): RowTable {
  const reportedRows = createCountedRows()
  const plannedRows = createCountedRows()
  /** The ids of the recorded operations of each resource. */
  const idsByUrn = new Map<string, Set<number>>()
  /** The resources that events reported. */
  const reportedUrns = new Set<string>()
  /** The resources of which an event reported an ended operation. */
  const endedUrns = new Set<string>()
  /** The resources whose recorded stages may be older than their events. */
  const possiblyStaleUrns = new Set<string>()
  const isStale = ({ op, urn, stage }: ShownOperation): boolean => {
    if (stage === 'ended') return false
    // The event of an ended refresh does not have the kind `refresh`, but the kind of the change
    // that the refresh found.
    if (op === 'refresh' && endedUrns.has(urn)) return true
    const state = reportedRows.get(rowKeyOf({ op, urn }))?.state
    if (state === undefined) return false
    return state === 'running' ? stage !== 'running' : true
  }
  return {
    setReported(row) {
      const { urn, state } = row
      const refreshKey = rowKeyOf({ op: 'refresh', urn })
      if (state !== 'running' && reportedRows.get(refreshKey)?.state === 'running')
        reportedRows.remove(refreshKey)
      plannedRows.remove(row.key)
      plannedRows.remove(refreshKey)
      reportedUrns.add(urn)
      possiblyStaleUrns.add(urn)
      if (state !== 'running') endedUrns.add(urn)
      // The replace step only announces the create and the delete, which have rows of their own.
      if (row.op !== 'replace') reportedRows.set(row)
    },
    addOperations(operations) {
      for (const operation of operations) {
        const { id, op, urn, stage } = operation
        const ids = idsByUrn.get(urn) ?? new Set()
        idsByUrn.set(urn, ids.add(id))
        if (reportedUrns.has(urn)) possiblyStaleUrns.add(urn)
        const key = rowKeyOf({ op, urn })
        const isReported =
          op === 'refresh' ? reportedUrns.has(urn) : reportedRows.get(key) !== undefined
        const row = createPlannedRow(operation)
        if (stage === 'ended' || isReported || isDefaultProvider(row)) plannedRows.remove(key)
        else plannedRows.set(row)
      }
    },
    listStale(store) {
      const staleIds: number[] = []
      for (const urn of possiblyStaleUrns) {
        const staleIdsOfUrn = [...(idsByUrn.get(urn) ?? [])].filter(id => {
          const operation = store.find(id)
          return operation !== undefined && isStale(operation)
        })
        if (staleIdsOfUrn.length === 0) possiblyStaleUrns.delete(urn)
        staleIds.push(...staleIdsOfUrn)
      }
      return staleIds
    },
    listRows: () => [...reportedRows.values(), ...plannedRows.values()],
    readCounts() {
      const counts = createEmptyCounts()
      for (const [key, count] of [...reportedRows.listCounts(), ...plannedRows.listCounts()])
        counts[key] += count
      return counts
    },
  }
}

/** Creates a map of rows by their key. The map counts its rows by state. */
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
