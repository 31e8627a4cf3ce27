import { nameOf } from '../../names/urn.ts'
import type { Provider } from '../../providers/provider.ts'
import type { ResourceState } from '../../state/resource.ts'

/** What performing a step asks of the outside. */
export interface PerformDeps {
  /** The configured instance of a provider reference. Throws when it cannot be had. */
  readonly provider: (reference: string) => Promise<Provider>
  /** RFC 3339 time of now, UTC. */
  readonly timestamp: () => string
  readonly warn: (message: string) => void
}

/** What a provider is told about a resource besides its values. */
export function subjectOf(state: ResourceState): {
  urn: ResourceState['urn']
  name: string
  type: string
} {
  return { urn: state.urn, name: nameOf(state.urn), type: state.type }
}

/** What a provider is asked to read a state again by its id. */
export function readQuestion(state: ResourceState): Parameters<Provider['read']>[0] {
  return {
    ...subjectOf(state),
    id: state.id,
    inputs: state.inputs,
    outputs: state.outputs,
    timeout: state.customTimeouts.read ?? 0,
  }
}
