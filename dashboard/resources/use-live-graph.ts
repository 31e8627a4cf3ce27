import { useEffect, useMemo, useRef, useState } from 'react'
import type { OperationRow } from '../deployment/operation-row.ts'
import { combineLiveStates, type LiveState, listNewRows } from './live-states.ts'
import { createResourceGraph, type ResourceGraph } from './resource-graph.ts'
import type { StateRow } from './state-resource.ts'

/** A graph whose resources have the states of an open deployment. */
export interface LiveGraph {
  /** The resources of the state, and new ones of the deployment. */
  readonly rows: readonly StateRow[]
  readonly graph: ResourceGraph
  /** The states by the keys of the resources. Undefined without an open deployment. */
  readonly states: ReadonlyMap<string, LiveState> | undefined
}

/** The interval in which new resources are added, in ms. Each addition moves the others. */
const additionIntervalMs = 1_500

const noRows: readonly StateRow[] = []

/**
 * Combines the resources of a state with the operations of an open deployment. Undefined
 * `operations`: no deployment is open.
 */
export function useLiveGraph(
  stateRows: readonly StateRow[],
  operations: readonly OperationRow[] | undefined,
): LiveGraph {
  const states = useMemo(
    () => (operations === undefined ? undefined : combineLiveStates(operations)),
    [operations],
  )
  const newRows = useNewRows(stateRows, operations)
  const rows = useMemo(
    () => (newRows.length === 0 ? stateRows : [...stateRows, ...newRows]),
    [stateRows, newRows],
  )
  const graph = useMemo(() => createResourceGraph(rows), [rows])
  return { rows, graph, states }
}

/** Returns the new resources of a deployment, as the same array while they do not change. */
function useNewRows(
  stateRows: readonly StateRow[],
  operations: readonly OperationRow[] | undefined,
): readonly StateRow[] {
  const [newRows, setNewRows] = useState(noRows)
  const latest = useRef({ stateRows, operations })
  useEffect(() => {
    latest.current = { stateRows, operations }
  })
  const isOpen = operations !== undefined
  useEffect(() => {
    const update = (): void => {
      const { current } = latest
      const latestRows = listNewRows(current.stateRows, current.operations ?? [])
      setNewRows(earlierRows => (hasSameKeys(earlierRows, latestRows) ? earlierRows : latestRows))
    }
    update()
    if (!isOpen) return
    const timer = setInterval(update, additionIntervalMs)
    return () => clearInterval(timer)
  }, [isOpen, stateRows])
  return newRows
}

function hasSameKeys(left: readonly StateRow[], right: readonly StateRow[]): boolean {
  return left.length === right.length && left.every(({ key }, index) => key === right[index]?.key)
}
