import type { DeleteRelease } from '../../records/log.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import type { CondemnedStep } from '../generator/deletion/condemned-steps.ts'
import { findDeleteEdges } from '../graph/delete-edges.ts'
import type { StateGraph } from '../graph/dependencies.ts'
import { wavesOf, describeWaves } from '../graph/waves.ts'
import type { CommandRun } from './command-run.ts'

/** Returns the condition under which deletes of this deployment may begin. */
export function releaseModeOf({ request }: Pick<CommandRun, 'request'>): DeleteRelease {
  return request.options.release ?? 'dataflow'
}

/**
 * Reports the number and the widths of the waves in which the condemned resources can be deleted.
 */
export function reportWaves(
  emitter: StepEmitter,
  input: {
    readonly graph: StateGraph
    readonly condemned: readonly CondemnedStep[]
    readonly release: DeleteRelease
  },
): void {
  const indices = input.condemned.map(({ graphIndex }) => graphIndex)
  const waves = wavesOf(indices, findDeleteEdges(input.graph, new Set(indices)))
  const text = describeWaves(waves, input.release)
  if (text !== undefined) emitter.report('info', text)
}
