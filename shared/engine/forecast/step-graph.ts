import { isDefaultProviderName, isProviderType } from '../../names/provider-reference.ts'
import { nameOf, type Urn } from '../../names/urn.ts'
import { isBuiltinType } from '../../names/builtin.ts'
import type { DeleteRelease } from '../../records/log.ts'
import { findBlockedDeletes } from '../graph/blocked-deletes.ts'
import { type DeleteEdges, findDeleteEdges } from '../graph/delete-edges.ts'
import { requiredUrnsOf, type StateGraph } from '../graph/dependencies.ts'
import { wavesOf } from '../graph/waves.ts'
import { isProtected, type Step } from '../step.ts'

/** The step of a node. The complete states of the step are not kept. */
export type NodeStep = Pick<Step, 'op' | 'urn' | 'type' | 'skipCall'>

/** A node of the graph: a step, or a join without a step. `needs`: indices of other nodes. */
export interface StepNode {
  readonly step: NodeStep | undefined
  readonly needs: readonly number[]
}

/** Deletes that are planned together. `graphIndex`: the position of the state in `graph`. */
export interface PlannedDeletes {
  readonly graph: StateGraph
  readonly condemned: readonly { readonly graphIndex: number; readonly step: Step }[]
  readonly release: DeleteRelease
}

/** The graph of the steps that a preview has decided so far. */
export interface StepGraph {
  /** Adds the reads of a refresh. They start together, after all earlier steps. */
  readonly addReads: (steps: readonly Step[]) => void
  /** Adds the steps of one registration. Each starts after the previous one. */
  readonly addChain: (steps: readonly Step[]) => void
  /** Adds deletes. They start after all earlier steps. */
  readonly addDeletes: (deletes: PlannedDeletes) => void
  readonly listNodes: () => readonly StepNode[]
}

/** Creates an empty graph. A step of a program needs the last steps of its dependencies. */
export function createStepGraph(): StepGraph {
  const nodes: StepNode[] = []
  const lastNodes = new Map<Urn, number>()
  /**
   * The join that all steps of the current phase need, if there is an earlier phase. Reads, chains
   * and deletes are in different phases.
   */
  let phaseNeeds: readonly number[] = []
  let phaseStart = 0
  const addNode = (step: Step | undefined, needs: readonly number[]): number => {
    const nodeStep = step === undefined ? undefined : nodeStepOf(step)
    return nodes.push({ step: nodeStep, needs }) - 1
  }
  /** Ends the current phase with a join, unless the phase is empty. */
  const beginPhase = (): void => {
    if (nodes.length === phaseStart) return
    const join = addNode(undefined, rangeOf(phaseStart, nodes.length))
    phaseNeeds = [join]
    phaseStart = nodes.length
  }
  return {
    addReads(steps) {
      beginPhase()
      for (const step of steps) addNode(step, phaseNeeds)
      beginPhase()
    },
    addChain(steps) {
      // These two kinds of steps never call a provider, so they take no time.
      const chain = steps.filter(({ op }) => op !== 'replace' && op !== 'remove-pending-replace')
      const next = chain.findLast(step => step.next !== undefined)?.next
      const urns = new Set([...(next === undefined ? [] : requiredUrnsOf(next)), ...urnsOf(chain)])
      const firstNeeds = [...phaseNeeds, ...[...urns].flatMap(urn => lastNodes.get(urn) ?? [])]
      let needs: readonly number[] = firstNeeds
      for (const step of chain) {
        const node = addNode(step, needs)
        if (step.next !== undefined) lastNodes.set(step.urn, node)
        needs = [node]
      }
    },
    addDeletes(deletes) {
      beginPhase()
      const { length } = nodes
      for (const { step, needs } of toDeleteNodes(deletes))
        addNode(step, [...phaseNeeds, ...needs.map(index => index + length)])
      beginPhase()
    },
    listNodes: () => nodes,
  }
}

/**
 * Reports whether waves count a step. Not counted are unchanged resources, default providers, and
 * steps that only remove a state whose replacement is pending.
 */
export function isCountedStep({ op, type, urn }: NodeStep): boolean {
  if (op === 'same' || op === 'remove-pending-replace') return false
  return !(isProviderType(type) && isDefaultProviderName(nameOf(urn)))
}

/**
 * Returns the nodes of the deletes that can start, dependents first, and of the joins between them.
 * The indices in `needs` count from the first of these nodes. Deletes that protection blocks are
 * left out.
 */
function toDeleteNodes({ graph, condemned, release }: PlannedDeletes): readonly {
  readonly step: Step | undefined
  readonly needs: readonly number[]
}[] {
  const indices = condemned.map(({ graphIndex }) => graphIndex)
  const edges = findDeleteEdges(graph, new Set(indices))
  const protectedIndices = condemned
    .filter(({ step }) => isProtected(step))
    .map(({ graphIndex }) => graphIndex)
  const blockedIndices = findBlockedDeletes(protectedIndices, edges)
  const nodes: { readonly step: Step | undefined; readonly needs: number[] }[] = []
  const nodeByKey = new Map<number | string, number>()
  for (const { graphIndex, step } of condemned.toReversed())
    if (!blockedIndices.has(graphIndex))
      nodeByKey.set(graphIndex, nodes.push({ step, needs: [] }) - 1)
  for (const key of edges.groups.keys())
    nodeByKey.set(key, nodes.push({ step: undefined, needs: [] }) - 1)
  addEdges(edges, (from, to) => {
    const [fromNode, toNode] = [nodeByKey.get(from), nodeByKey.get(to)]
    if (fromNode !== undefined && toNode !== undefined) nodes[toNode]?.needs.push(fromNode)
  })
  if (release === 'antichain')
    addWaveJoins(
      nodes,
      wavesOf(indices, edges).map(wave => wave.flatMap(index => nodeByKey.get(index) ?? [])),
    )
  return nodes
}

function addEdges(
  edges: DeleteEdges,
  addEdge: (from: number | string, to: number | string) => void,
): void {
  for (const [from, { states, groups }] of [...edges.releases, ...edges.groups])
    for (const target of [...states, ...groups]) addEdge(from, target)
}

/** Adds a join between each wave and the next one. */
function addWaveJoins(
  nodes: { readonly step: Step | undefined; readonly needs: number[] }[],
  waves: readonly (readonly number[])[],
): void {
  let previousWave: readonly number[] = []
  for (const wave of waves) {
    if (previousWave.length > 0) {
      const join = nodes.push({ step: undefined, needs: [...previousWave] }) - 1
      for (const node of wave) nodes[node]?.needs.push(join)
    }
    previousWave = wave
  }
}

/** Returns the step of a node. `skipCall` is also set if the engine itself performs the step. */
function nodeStepOf({ op, urn, type, skipCall, next }: Step): NodeStep {
  const isSettled = next !== undefined && (!next.custom || isProviderType(type))
  return { op, urn, type, skipCall: skipCall || isSettled || isBuiltinType(type) }
}

function urnsOf(steps: readonly Step[]): readonly Urn[] {
  return steps.map(({ urn }) => urn)
}

function rangeOf(start: number, end: number): readonly number[] {
  return Array.from({ length: end - start }, (_, offset) => start + offset)
}
