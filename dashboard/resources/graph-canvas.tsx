import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { Button } from 'react-aria-components'
import { toFailure } from '../api/api-failure.ts'
import { FailureNote } from '../widgets/failure-note.tsx'
import { LoadingRows } from '../widgets/loading-rows.tsx'
import { namedMatchesMax } from './graph-marks.ts'
import { type GraphPalette, type OpenGraph, openGraph } from './open-graph.ts'
import type { LiveState } from './live-states.ts'
import type { ResourceGraph } from './resource-graph.ts'
import type { StateRow } from './state-resource.ts'

interface GraphCanvasProps {
  rows: readonly StateRow[]
  graph: ResourceGraph
  /** The keys of the resources that the filter matches. Undefined without a filter. */
  matches: ReadonlySet<string> | undefined
  /** The states in an open deployment by the keys of the resources. */
  states: ReadonlyMap<string, LiveState> | undefined
  palette: GraphPalette
  onOpen: (key: string) => void
}

/** The graph of the shown rows, or the reason why it did not open. Neither: it is being opened. */
interface GraphOpening {
  readonly openedGraph?: OpenGraph
  readonly failure?: unknown
}

/** The part of the view by which an arrow key moves. */
const panStep = 0.15
/** The part of the view that remains after zooming in once. */
const zoomFactor = 0.6

/** Shows the graph of a state. A click on a resource shows its details. */
export function GraphCanvas(props: GraphCanvasProps) {
  const { rows, matches } = props
  const { container, ranks, openedGraph, failure } = useOpenGraph(props)
  const firstMatch = matches === undefined ? undefined : rows.find(({ key }) => matches.has(key))
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.target !== event.currentTarget || openedGraph === undefined) return
    if (event.key === 'Enter' && firstMatch !== undefined) props.onOpen(firstMatch.key)
    else if (!moveByKey(openedGraph, event.key)) return
    event.preventDefault()
  }
  return (
    <>
      {failure === undefined ? null : <FailureNote failure={toFailure(failure)} />}
      <div
        className="graph card"
        role="application"
        aria-label="Dependency graph"
        aria-describedby="graph-keys"
        tabIndex={0}
        onKeyDown={onKeyDown}
      >
        <div ref={container} className="graph-stage" />
        <div ref={ranks} className="graph-ranks" aria-hidden="true" />
        <div className="graph-tools">
          <GraphButton
            label="Zoom in"
            path="M8 3.5v9M3.5 8h9"
            onPress={() => openedGraph?.zoom(zoomFactor)}
          />
          <GraphButton
            label="Zoom out"
            path="M3.5 8h9"
            onPress={() => openedGraph?.zoom(1 / zoomFactor)}
          />
          <GraphButton
            label="Show the whole graph"
            path="M3 6V3h3M10 3h3v3M13 10v3h-3M6 13H3v-3"
            onPress={() => openedGraph?.showAll()}
          />
        </div>
        {openedGraph === undefined && failure === undefined ? (
          <div className="graph-loading">
            <LoadingRows label="Laying out the graph" />
          </div>
        ) : null}
      </div>
      {openedGraph?.hidesEdges === true ? (
        <p className="quiet graph-hint">
          This graph has too many edges to draw them all: it shows those of the resource under the
          pointer, and those of the matches of a filter with up to {namedMatchesMax} matches.
        </p>
      ) : null}
    </>
  )
}

/** Opens the graph in its element, and follows the rows, the filter, the states and the colors. */
function useOpenGraph({ rows, graph, matches, states, palette, onOpen }: GraphCanvasProps) {
  const container = useRef<HTMLDivElement>(null)
  const ranks = useRef<HTMLDivElement>(null)
  const latest = useRef({ onOpen, palette })
  const drawnPalette = useRef(palette)
  // New resources of a deployment open the graph again. It then shows the same part as before.
  const view = useRef<ReturnType<OpenGraph['readView']>>(undefined)
  // One value, so that a graph that opens replaces the failure of an earlier one.
  const [{ openedGraph, failure }, setOpening] = useState<GraphOpening>({})
  useEffect(() => {
    latest.current = { onOpen, palette }
  })
  useEffect(() => {
    const abort = new AbortController()
    let current: OpenGraph | undefined
    const start = async (): Promise<void> => {
      const { current: stage } = container
      const { current: rankLayer } = ranks
      if (stage === null || rankLayer === null) return
      current = await openGraph({
        stage,
        rankLayer,
        rows,
        graph,
        signal: abort.signal,
        view: view.current,
        paletteOf: () => latest.current.palette,
        onOpen: key => latest.current.onOpen(key),
      })
      setOpening({ openedGraph: current })
    }
    start().catch((thrown: unknown) => {
      if (!abort.signal.aborted) setOpening({ failure: thrown })
    })
    return () => {
      abort.abort()
      if (current !== undefined) view.current = current.readView()
      current?.close()
      setOpening({})
    }
  }, [rows, graph])
  useEffect(() => {
    if (drawnPalette.current !== palette) openedGraph?.repaint()
    drawnPalette.current = palette
  }, [openedGraph, palette])
  useEffect(() => openedGraph?.highlight(matches ?? new Set()), [openedGraph, matches])
  useEffect(() => openedGraph?.showStates(states ?? new Map()), [openedGraph, states])
  return { container, ranks, openedGraph, failure }
}

/** Moves or zooms the view by a key. Reports whether the key has such an effect. */
function moveByKey(openedGraph: OpenGraph, key: string): boolean {
  const moves: ReadonlyMap<string, () => void> = new Map([
    ['ArrowLeft', () => openedGraph.pan(-panStep, 0)],
    ['ArrowRight', () => openedGraph.pan(panStep, 0)],
    ['ArrowUp', () => openedGraph.pan(0, panStep)],
    ['ArrowDown', () => openedGraph.pan(0, -panStep)],
    ['+', () => openedGraph.zoom(zoomFactor)],
    ['=', () => openedGraph.zoom(zoomFactor)],
    ['-', () => openedGraph.zoom(1 / zoomFactor)],
    ['0', () => openedGraph.showAll()],
  ])
  const move = moves.get(key)
  move?.()
  return move !== undefined
}

function GraphButton(props: { label: string; path: string; onPress: () => void }) {
  const { label, path, onPress } = props
  return (
    <Button className="button graph-button" aria-label={label} onPress={onPress}>
      <svg viewBox="0 0 16 16" aria-hidden="true">
        <path d={path} />
      </svg>
    </Button>
  )
}
