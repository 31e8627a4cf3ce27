import type { StepEmitter } from '../events/step-emitter.ts'
import type { CondemnedStep } from '../generator/delete-steps.ts'
import { deleteEdges } from '../graph/delete-edges.ts'
import type { StateGraph } from '../graph/dependencies.ts'
import { wavesOf, wavesText } from '../graph/waves.ts'

/** Tells a person in how many waves, and how wide ones, what is condemned can be deleted. */
export function tellWaves(
  emitter: StepEmitter,
  graph: StateGraph,
  condemned: readonly CondemnedStep[],
): void {
  const indices = condemned.map(({ index }) => index)
  const text = wavesText(wavesOf(indices, deleteEdges(graph, new Set(indices))))
  if (text !== undefined) emitter.diagnostic('info', text)
}
