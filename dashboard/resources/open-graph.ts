import { DirectedGraph } from 'graphology'
import Sigma from 'sigma'
import { sdfCircle, sdfDiamond, sdfSquare } from 'sigma/rendering'
import type { CameraState } from 'sigma/types'
import { formatNumber } from '../format/format-count.ts'
import { createGraphMarks } from './graph-marks.ts'
import { type GraphPoint, type LayoutRank, layOutRanks } from './rank-layout.ts'
import type { LiveState } from './live-states.ts'
import type { ResourceEdge, ResourceGraph } from './resource-graph.ts'
import { runInSlices } from './run-in-slices.ts'
import type { ResourceCondition, StateRow } from './state-resource.ts'

/** The colors of the graph, which depend on the theme. */
export interface GraphPalette {
  readonly conditions: Readonly<Record<ResourceCondition, string>>
  readonly states: Readonly<Record<LiveState, string>>
  readonly text: string
  readonly surface: string
  readonly line: string
  readonly accent: string
}

/** A graph on the page. */
export interface OpenGraph {
  /** Moves the view by parts of its width and height. */
  readonly pan: (right: number, up: number) => void
  /** Multiplies the shown part of the graph. */
  readonly zoom: (factor: number) => void
  readonly showAll: () => void
  /**
   * Marks the resources with these keys, and no others. Up to `namedMatchesMax` keys, it also marks
   * their edges.
   */
  readonly highlight: (keys: ReadonlySet<string>) => void
  /** Shows the states of resources in an open deployment. Others show their conditions. */
  readonly showStates: (states: ReadonlyMap<string, LiveState>) => void
  /** Whether only marked edges are drawn. */
  readonly hidesEdges: boolean
  /** Returns the shown part of the graph. */
  readonly readView: () => CameraState
  /** Applies the palette again. */
  readonly repaint: () => void
  readonly close: () => void
}

interface GraphOptions {
  readonly stage: HTMLElement
  /** The element above the graph for the names of the ranks. */
  readonly rankLayer: HTMLElement
  readonly rows: readonly StateRow[]
  readonly graph: ResourceGraph
  readonly signal: AbortSignal
  /** The shown part of an earlier graph. Absent: everything is shown. */
  readonly view: CameraState | undefined
  readonly paletteOf: () => GraphPalette
  readonly onOpen: (key: string) => void
}

/** In a graph with more edges, edges are hidden while the view moves, and have no soft borders. */
const movedEdgesMax = 4_000
/** In a graph with more edges, edges to parents are not drawn. */
const drawnEdgesMax = 10_000
/** If more edges remain, only marked ones are drawn. A software renderer is slow. */
const visibleEdgesMax = { hardware: 40_000, software: 4_000 }
/** With more edges, their opacity decreases with their number, so that dense parts stay visible. */
const opaqueEdgesMax = 2_000
/** The sizes of the smallest and the largest resources in px. */
const nodeSizeMin = 1.5
const nodeSizeMax = 8

/** Lays out a graph, and shows it. Throws the reason of the signal, and errors of WebGL. */
export async function openGraph(options: GraphOptions): Promise<OpenGraph> {
  const { rows, graph, signal, stage } = options
  const { points, ranks } = await runInSlices(layOutRanks(graph), signal)
  const drawnGraph = new DirectedGraph()
  for (const [index, { key, name, condition }] of rows.entries()) {
    const { x, y } = points[index] ?? { x: 0, y: 0 }
    drawnGraph.addNode(key, { x, y, label: name, condition })
  }
  for (const { from, to, reason } of listDrawnEdges(graph))
    drawnGraph.mergeEdge(rows[from]?.key, rows[to]?.key, { isParent: reason === 'parent' })
  signal.throwIfAborted()
  const hidesEdges = drawnGraph.size > visibleEdgesMax[findRendererKind()]
  const nodeSize = nodeSizeOf(points, stage)
  const sigma = createRenderer(drawnGraph, { ...options, nodeSize, hidesEdges })
  sigma.on('clickNode', ({ node }) => options.onOpen(node))
  const marks = createGraphMarks(drawnGraph, {
    setNodesState: (keys, state) => void sigma.setNodesState(keys, state),
    setEdgeState: (edge, state) => void sigma.setEdgeState(edge, state),
  })
  sigma.on('enterNode', ({ node }) => marks.hover(node, true))
  sigma.on('leaveNode', ({ node }) => marks.hover(node, false))
  const placeRanks = showRanks(options.rankLayer, ranks)
  const viewportOf = (x: number): number => sigma.graphToViewport({ x, y: 0 }).x
  placeRanks(viewportOf)
  sigma.on('afterRender', () => placeRanks(viewportOf))
  const camera = sigma.getCamera()
  if (options.view !== undefined) camera.setState(options.view)
  return {
    hidesEdges,
    pan(right, up) {
      const { x, y, ratio } = camera.getState()
      void camera.animate({ x: x + right * ratio, y: y + up * ratio }, { duration: 120 })
    },
    zoom: factor => void camera.animate({ ratio: camera.ratio * factor }, { duration: 150 }),
    showAll: () => void camera.reset({ duration: 200 }),
    highlight: marks.highlight,
    showStates(states) {
      for (const key of drawnGraph.nodes())
        if (drawnGraph.getNodeAttribute(key, 'state') !== states.get(key))
          drawnGraph.setNodeAttribute(key, 'state', states.get(key))
    },
    readView: () => camera.getState(),
    repaint: () => void sigma.refresh(),
    close() {
      sigma.kill()
      options.rankLayer.replaceChildren()
      stage.replaceChildren()
    },
  }
}

/**
 * Returns the edges to draw. Nearly every resource has a provider, so the edges to providers would
 * hide the others. In a large graph, the edges to parents would hide the others too.
 */
function listDrawnEdges({ edges }: ResourceGraph): readonly ResourceEdge[] {
  const hiddenReasons = edges.length > drawnEdgesMax ? ['provider', 'parent'] : ['provider']
  return edges.filter(({ reason }) => !hiddenReasons.includes(reason))
}

/** Returns the size of resources in px that leaves a gap between neighbors. */
function nodeSizeOf(points: readonly GraphPoint[], stage: HTMLElement): number {
  const spanOf = (valueOf: (point: GraphPoint) => number): number => {
    const [min, max] = points.reduce(
      ([low, high], point) => [Math.min(low, valueOf(point)), Math.max(high, valueOf(point))],
      [0, 0],
    )
    return max - min + 1
  }
  const spacingPx = Math.min(
    stage.clientWidth / spanOf(({ x }) => x),
    stage.clientHeight / spanOf(({ y }) => y),
  )
  return Math.min(nodeSizeMax, Math.max(nodeSizeMin, spacingPx * 0.4))
}

function createRenderer(
  drawnGraph: DirectedGraph,
  options: GraphOptions & { readonly nodeSize: number; readonly hidesEdges: boolean },
) {
  const { stage, paletteOf, nodeSize: size, hidesEdges } = options
  const opacity = Math.max(0.15, Math.min(1, opaqueEdgesMax / drawnGraph.size))
  const colorOf = (condition: unknown, state: unknown): string =>
    state === undefined
      ? paletteOf().conditions[condition as ResourceCondition]
      : paletteOf().states[state as LiveState]
  return new Sigma(drawnGraph, stage, {
    customNodeState: { isNamed: false },
    primitives: { nodes: { shapes: [sdfCircle(), sdfSquare(), sdfDiamond()] } },
    styles: {
      nodes: {
        x: { attribute: 'x' },
        y: { attribute: 'y' },
        label: { attribute: 'label' },
        size: (_, { isHovered, isHighlighted }) => (isHovered || isHighlighted ? size * 1.5 : size),
        color: ({ condition, state }) => colorOf(condition, state),
        // The shape shows the same, for users who cannot distinguish the colors.
        shape: ({ condition, state }) => shapeOf(state ?? condition),
        depth: (_, { isHovered, isHighlighted }) =>
          isHovered || isHighlighted ? 'topNodes' : 'nodes',
        labelColor: () => paletteOf().text,
        labelSize: 12,
        labelFont: 'system-ui, sans-serif',
        labelVisibility: (_, { isHovered, isNamed }) => (isHovered || isNamed ? 'visible' : 'auto'),
        backdropVisibility: (_, { isHovered, isHighlighted }) =>
          isHovered || isHighlighted ? 'visible' : 'hidden',
        backdropColor: () => paletteOf().surface,
        backdropBorderColor: () => paletteOf().accent,
        backdropBorderWidth: 1.5,
        backdropPadding: 4,
        cursor: 'pointer',
      },
      edges: {
        depth: (_, { isHighlighted }) => (isHighlighted ? 'topEdges' : 'edges'),
        size: (_, { isHighlighted }) => (isHighlighted ? 2 : 1),
        visibility: (_, { isHighlighted }) => (hidesEdges && !isHighlighted ? 'hidden' : 'visible'),
        color: (_, { isHighlighted }) => (isHighlighted ? paletteOf().accent : paletteOf().line),
        opacity: ({ isParent }, { isHighlighted }) =>
          isHighlighted ? 1 : isParent === true ? opacity * 0.45 : opacity,
      },
      stage: {},
    },
    settings: {
      itemSizesReference: 'screen',
      hideEdgesOnMove: drawnGraph.size > movedEdgesMax,
      antialiasEdges: drawnGraph.size <= movedEdgesMax,
      stagePadding: 48,
      minCameraRatio: 0.002,
      maxCameraRatio: 3,
      labelDensity: drawnGraph.order <= 150 ? 4 : 1,
      labelRenderedSizeThreshold: 2.5,
      enableCameraRotation: false,
      enableCameraMouseRotation: false,
    },
  })
}

function shapeOf(stateOrCondition: unknown): string {
  if (diamonds.has(stateOrCondition)) return 'diamond'
  return squares.has(stateOrCondition) ? 'square' : 'circle'
}

const diamonds: ReadonlySet<unknown> = new Set(['condemned', 'tainted', 'pending', 'failed'])
const squares: ReadonlySet<unknown> = new Set(['component', 'provider', 'running'])

/** Returns `software` if the browser draws without a graphics card, as in most virtual machines. */
function findRendererKind(): 'hardware' | 'software' {
  const context = document.createElement('canvas').getContext('webgl2')
  const info = context?.getExtension('WEBGL_debug_renderer_info')
  const name = info ? String(context?.getParameter(info.UNMASKED_RENDERER_WEBGL)) : ''
  // The context is released, because browsers limit the number of contexts of a page.
  context?.getExtension('WEBGL_lose_context')?.loseContext()
  return /swiftshader|llvmpipe|softpipe|basic render/i.test(name) ? 'software' : 'hardware'
}

/** The minimum distance between two shown names of ranks in px. Names between them are hidden. */
const rankNamePx = 92

/** Adds the names of ranks to a layer. Returns the function that moves them with the view. */
function showRanks(
  layer: HTMLElement,
  ranks: readonly LayoutRank[],
): (viewportOf: (x: number) => number) => void {
  const names = ranks.map(({ wave, count, x }) => {
    const element = document.createElement('span')
    element.textContent = `wave ${formatNumber(wave)} · ${formatNumber(count)}`
    element.className = 'graph-rank'
    layer.append(element)
    return { element, x }
  })
  return viewportOf => {
    let lastPx = Number.NEGATIVE_INFINITY
    for (const { element, x } of names) {
      const px = viewportOf(x)
      const isShown = px - lastPx >= rankNamePx && px > 0 && px < layer.clientWidth
      element.hidden = !isShown
      if (!isShown) continue
      lastPx = px
      element.style.transform = `translateX(calc(${px}px - 50%))`
    }
  }
}
