import type { Release } from '../../records/log.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import type { CondemnedStep } from '../generator/delete-steps.ts'
import { deleteEdges } from '../graph/delete-edges.ts'
import type { StateGraph } from '../graph/dependencies.ts'
import { wavesOf, wavesText } from '../graph/waves.ts'
import type { Life } from './life.ts'

/** When deletes of this deployment may begin. */
export function releaseOf({ request }: Pick<Life, 'request'>): Release {
  return request.options.release ?? 'dataflow'
}

/** Tells a person in how many waves, and how wide ones, what is condemned can be deleted. */
export function tellWaves(
  emitter: StepEmitter,
  about: {
    readonly graph: StateGraph
    readonly condemned: readonly CondemnedStep[]
    readonly release: Release
  },
): void {
  const indices = about.condemned.map(({ index }) => index)
  const waves = wavesOf(indices, deleteEdges(about.graph, new Set(indices)))
  const text = wavesText(waves, about.release)
  if (text !== undefined) emitter.diagnostic('info', text)
}
