import type { DirectedGraph } from 'graphology'

/** Up to this number of matches, their labels and edges are marked too. */
export const namedMatchesMax = 40

/** The calls of the renderer that change the marks. */
interface MarkPainter {
  readonly setNodesState: (
    keys: string[],
    state: { readonly isHighlighted: boolean; readonly isNamed: boolean },
  ) => void
  readonly setEdgeState: (edge: string, state: { readonly isHighlighted: boolean }) => void
}

/** The marks of matching resources, and of the resource under the pointer. */
interface GraphMarks {
  /** Marks the resources with these keys, and no others. */
  readonly highlight: (keys: ReadonlySet<string>) => void
  /** Marks the edges of a resource while the pointer is over it. */
  readonly hover: (key: string, isHovered: boolean) => void
}

/** Creates the marks of a graph, which has none at first. */
export function createGraphMarks(drawnGraph: DirectedGraph, painter: MarkPainter): GraphMarks {
  let markedKeys: ReadonlySet<string> = new Set()
  /** The marked resources whose edges are marked too. */
  let namedKeys: ReadonlySet<string> = new Set()
  const hover = (key: string, isHovered: boolean): void => {
    for (const edge of drawnGraph.edges(key)) {
      const isMarked = drawnGraph.extremities(edge).some(end => namedKeys.has(end))
      painter.setEdgeState(edge, { isHighlighted: isHovered || isMarked })
    }
  }
  return {
    hover,
    highlight(keys) {
      if (keys.size + markedKeys.size === 0) return
      const unmarkedKeys = [...markedKeys].filter(key => !keys.has(key))
      const earlierKeys = namedKeys
      const isNamed = keys.size <= namedMatchesMax
      markedKeys = new Set([...keys].filter(key => drawnGraph.hasNode(key)))
      namedKeys = isNamed ? markedKeys : new Set()
      painter.setNodesState(unmarkedKeys, { isHighlighted: false, isNamed: false })
      painter.setNodesState([...markedKeys], { isHighlighted: true, isNamed })
      for (const key of new Set([...earlierKeys, ...namedKeys])) hover(key, false)
    },
  }
}
