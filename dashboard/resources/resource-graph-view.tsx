import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react'
import { usePolled } from '../api/use-polled.ts'
import { formatNumber } from '../format/format-count.ts'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { useMediaQuery } from '../widgets/use-media-query.ts'
import { type LiveState, liveStateLabels } from './live-states.ts'
import type { GraphPalette } from './open-graph.ts'
import type { ResourceGraph } from './resource-graph.ts'
import { conditionLabels, type ResourceCondition, type StateRow } from './state-resource.ts'

interface ResourceGraphViewProps {
  rows: readonly StateRow[]
  graph: ResourceGraph
  /** The keys of the resources that the filter matches. Undefined without a filter. */
  matches: ReadonlySet<string> | undefined
  /** The states in an open deployment by the keys of the resources. */
  states: ReadonlyMap<string, LiveState> | undefined
  onOpen: (key: string) => void
  /** The view that replaces the graph in a browser that cannot draw it. */
  fallback: ReactNode
}

/** Shows the dependency graph of a state. Without WebGL 2, shows the reason and `fallback`. */
export function ResourceGraphView({ fallback, ...props }: ResourceGraphViewProps) {
  const [hasWebGl] = useState(supportsWebGl)
  if (hasWebGl) return <LoadedGraph {...props} />
  return (
    <>
      <div role="alert" className="note note-warn">
        <p className="note-title">This browser cannot draw the graph</p>
        <p>
          The graph needs WebGL 2, which this browser does not have, or which its settings forbid.
          So the page shows the tree. The details of a resource list the resources that depend on
          it.
        </p>
      </div>
      {fallback}
    </>
  )
}

function LoadedGraph(props: Omit<ResourceGraphViewProps, 'fallback'>) {
  const { rows, graph, matches, states, onOpen } = props
  // The libraries of the graph are a file of their own, which no other page loads.
  const { value: module, failure } = usePolled({
    key: 'graph',
    intervalMs: 0,
    read: () => import('./graph-canvas.tsx'),
  })
  const counts = useMemo(
    () => Map.groupBy(rows, ({ key, condition }) => states?.get(key) ?? condition),
    [rows, states],
  )
  const { legend, palette } = usePalette()
  return (
    <>
      <ul ref={legend} className="graph-legend" aria-label="Colors">
        {[...liveStateLabels, ...conditionLabels].map(([color, word]) => {
          const count = counts.get(color)?.length ?? 0
          return (
            <li key={color} hidden={count === 0} data-color={color}>
              <span className={`graph-swatch swatch-${color}`} aria-hidden="true" />
              {word} <span className="quiet">{formatNumber(count)}</span>
            </li>
          )
        })}
        <li hidden data-role="text" />
        <li hidden data-role="surface" />
        <li hidden data-role="line" />
        <li hidden data-role="accent" />
      </ul>
      {failure === undefined ? null : <FailureNote failure={failure} />}
      {module === undefined || palette === undefined ? (
        failure === undefined && <LoadingRows label="Loading the graph" />
      ) : (
        <module.GraphCanvas {...{ rows, graph, matches, states, palette, onOpen }} />
      )}
      <p id="graph-keys" className="quiet graph-hint">
        Columns are the waves of a destroy: the resources at the right are deleted first, those at
        the left last. The arrow keys move the view, + and − zoom, 0 shows everything, and Enter
        opens the first match of the filter. Edges to providers are not drawn.
      </p>
    </>
  )
}

/**
 * Returns the colors of the theme. CSS computes colors only for elements, so the legend has an
 * element for each color.
 */
function usePalette() {
  const legend = useRef<HTMLUListElement>(null)
  const [palette, setPalette] = useState<GraphPalette>()
  const isDark = useMediaQuery('(prefers-color-scheme: dark)')
  useEffect(() => {
    const read = (): void => {
      const { current } = legend
      if (current !== null) setPalette(readPalette(current))
    }
    read()
    const observer = new MutationObserver(read)
    observer.observe(document.documentElement, { attributeFilter: ['data-theme'] })
    return () => observer.disconnect()
  }, [isDark])
  return { legend, palette }
}

function readPalette(legend: HTMLElement): GraphPalette {
  const colorOf = (selector: string): string => {
    const element = legend.querySelector(selector)
    return element === null ? '#888888' : getComputedStyle(element).color
  }
  const colorsOf = (names: readonly (readonly [string, string])[]): Record<string, string> =>
    Object.fromEntries(names.map(([name]) => [name, colorOf(`.swatch-${name}`)]))
  const roleColorOf = (role: string): string => colorOf(`[data-role=${role}]`)
  return {
    conditions: colorsOf(conditionLabels) as Record<ResourceCondition, string>,
    states: colorsOf(liveStateLabels) as Record<LiveState, string>,
    text: roleColorOf('text'),
    surface: roleColorOf('surface'),
    line: roleColorOf('line'),
    accent: roleColorOf('accent'),
  }
}

/** Reports whether the browser draws with WebGL 2. */
function supportsWebGl(): boolean {
  try {
    const context = document.createElement('canvas').getContext('webgl2')
    // The context is released, because browsers limit the number of contexts of a page.
    context?.getExtension('WEBGL_lose_context')?.loseContext()
    return context !== null
  } catch {
    return false
  }
}
