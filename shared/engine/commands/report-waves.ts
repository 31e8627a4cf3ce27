import { isDefaultProviderName, isProviderType } from '../../names/provider-reference.ts'
import { nameOf } from '../../names/urn.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { DeleteRelease } from '../../records/log.ts'
import type { StepEmitter } from '../events/step-emitter.ts'
import type { CondemnedStep } from '../generator/deletion/condemned-steps.ts'
import { findDeleteEdges } from '../graph/delete-edges.ts'
import type { StateGraph } from '../graph/dependencies.ts'
import { wavesOf, describeWaves } from '../graph/waves.ts'
import type { CommandRun } from './command-run.ts'

/** Reports whether a state is a default provider, which no display shows. */
function isDefaultProvider(state: ResourceState | undefined): boolean {
  return (
    state !== undefined && isProviderType(state.type) && isDefaultProviderName(nameOf(state.urn))
  )
}

/** Returns the condition under which deletes of this deployment may begin. */
export function releaseModeOf({ request }: Pick<CommandRun, 'request'>): DeleteRelease {
  return request.options.release ?? 'dataflow'
}

/**
 * Reports the number and the widths of the waves in which the condemned resources can be deleted.
 * Default providers are not counted, because no display shows them. The message is ephemeral: the
 * forecast of a preview has the same numbers.
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
  const shownWaves = waves
    .map(wave => wave.filter(index => !isDefaultProvider(input.graph.states[index])))
    .filter(wave => wave.length > 0)
  const message = describeWaves(shownWaves, input.release)
  if (message !== undefined)
    emitter.emit({ diagnosticEvent: { severity: 'info', message, color: 'raw', ephemeral: true } })
}
