import { nameOf } from '../../names/urn.ts'
import type { Provider } from '../../providers/provider.ts'
import { type UnsentRetry, retryUnsent } from '../../providers/retry-unsent.ts'
import type { ViewRequest } from '../../providers/views.ts'
import type { Step } from '../step.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { ViewsDeps } from './record-views.ts'

/** What performing a step asks of the outside. */
export interface PerformDeps {
  /**
   * The configured instance of a provider reference, extended by what an extension reference names.
   * Throws when it cannot be had.
   */
  readonly provider: (reference: string, extension: string) => Promise<Provider>
  /** RFC 3339 time of now, UTC. */
  readonly timestamp: () => string
  readonly warn: (message: string) => void
  /** Before a call is made again that nobody heard; see `Reaching`. */
  readonly beforeAgain: UnsentRetry['beforeRetry']
  /** Where providers may tell of views; where nothing is kept of them: absent. */
  readonly views?: ViewsDeps
  /** Hears of each step of a view when it is told. */
  readonly onViewStep?: (step: Step) => void
  /** What the provider is told of views in the call of this step. */
  readonly viewing?: ViewRequest
}

/** What a provider is told that is not asked about views that there are. */
export function viewStatusOf({ viewing }: Pick<PerformDeps, 'viewing'>): ViewRequest {
  return viewing?.status === undefined ? {} : { status: viewing.status }
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
export function toReadRequest(state: ResourceState): Parameters<Provider['read']>[0] {
  return {
    ...subjectOf(state),
    id: state.id,
    inputs: state.inputs,
    outputs: state.outputs,
    timeout: state.customTimeouts.read ?? 0,
  }
}

/** The provider of a step, extended as the resource needs it. */
export function resolveStepProvider(
  { provider, next, old }: Step,
  deps: Pick<PerformDeps, 'provider'>,
): Promise<Provider> {
  return deps.provider(provider, (next ?? old?.state)?.extensionRef ?? '')
}

/**
 * Makes a call that changes something, again when nobody was there to hear it. The provider is
 * found anew each time: whoever finds it looks at the lease.
 */
export function callStepProvider<T>(
  deps: PerformDeps,
  step: Step,
  call: (provider: Provider) => Promise<T>,
): Promise<T> {
  return retryUnsent(
    { getInstance: () => resolveStepProvider(step, deps), beforeRetry: deps.beforeAgain },
    call,
  )
}
