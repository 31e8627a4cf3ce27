import { nameOf } from '../../names/urn.ts'
import type { Provider } from '../../providers/provider.ts'
import { type UnsentRetry, retryUnsent } from '../../providers/retry-unsent.ts'
import type { ViewRequest } from '../../providers/views.ts'
import type { Step } from '../step.ts'
import type { ResourceState } from '../../state/resource.ts'
import type { ViewsDeps } from './record-views.ts'

/** The dependencies of performing a step. */
export interface PerformDeps {
  /**
   * Returns the configured provider instance of a provider reference. `extension`: the reference of
   * the extension to use, or ''. Rejects when the provider is unavailable.
   */
  readonly provider: (reference: string, extension: string) => Promise<Provider>
  /** Returns the current time in RFC 3339, UTC. */
  readonly timestamp: () => string
  readonly warn: (message: string) => void
  /** Called before a retry of a call that the provider never received. See `UnsentRetry`. */
  readonly beforeRetry: UnsentRetry['beforeRetry']
  /** Called with the error of a failed call. Absent: the caller needs only the end of the step. */
  readonly onCallError?: (thrown: unknown) => void
  /** The registry for view steps. Absent where views are not recorded. */
  readonly views?: ViewsDeps
  /** Called with each view step when the provider reports it. */
  readonly onViewStep?: (step: Step) => void
  /** The fields about views in the provider request of the current step. */
  readonly viewRequest?: ViewRequest
}

/** Returns the fields about views in a request: the status address, without the existing views. */
export function viewStatusOf({ viewRequest }: Pick<PerformDeps, 'viewRequest'>): ViewRequest {
  return viewRequest?.status === undefined ? {} : { status: viewRequest.status }
}

/** Returns the fields that identify a resource in a provider request. */
export function resourceIdentityOf(state: ResourceState): {
  urn: ResourceState['urn']
  name: string
  type: string
} {
  return { urn: state.urn, name: nameOf(state.urn), type: state.type }
}

/** Returns the request that creates a resource with the planned state `next`. */
export function toCreateRequest(
  next: ResourceState,
  { preview }: { readonly preview: boolean },
  deps: Pick<PerformDeps, 'viewRequest'>,
): Parameters<Provider['create']>[0] {
  return {
    ...resourceIdentityOf(next),
    inputs: next.inputs,
    timeoutSeconds: next.customTimeouts.create ?? 0,
    preview,
    ...viewStatusOf(deps),
  }
}

/** Returns the request that updates a resource from its old state to the planned state `next`. */
export function toUpdateRequest(
  { old, next }: { readonly old: ResourceState; readonly next: ResourceState },
  { preview }: { readonly preview: boolean },
  { viewRequest }: Pick<PerformDeps, 'viewRequest'>,
): Parameters<Provider['update']>[0] {
  return {
    ...resourceIdentityOf(next),
    id: old.id,
    oldInputs: old.inputs,
    oldOutputs: old.outputs,
    newInputs: next.inputs,
    timeoutSeconds: next.customTimeouts.update ?? 0,
    ignoreChanges: next.ignoreChanges,
    preview,
    ...viewRequest,
  }
}

/**
 * Returns the update that completes a partially failed create. It has the timeout of a create, no
 * ignored changes, and no existing views. Source: Pulumi's pkg/resource/deploy/step.go,
 * CreateStep.Apply, version 3.274.1.
 */
export function toCompletionRequest(
  states: { readonly old: ResourceState; readonly next: ResourceState },
  mode: { readonly preview: boolean },
  deps: Pick<PerformDeps, 'viewRequest'>,
): Parameters<Provider['update']>[0] {
  return {
    ...toUpdateRequest(states, mode, { viewRequest: viewStatusOf(deps) }),
    timeoutSeconds: states.next.customTimeouts.create ?? 0,
    ignoreChanges: [],
  }
}

/** Returns the request that deletes the resource of a step's old state. */
export function toDeleteRequest(
  { op, effect }: Step,
  old: ResourceState,
  { viewRequest }: Pick<PerformDeps, 'viewRequest'>,
): Parameters<Provider['delete']>[0] {
  return {
    ...resourceIdentityOf(old),
    id: old.id,
    inputs: old.inputs,
    outputs: old.outputs,
    timeoutSeconds: old.customTimeouts.delete ?? 0,
    isFirstOfReplacement: op === 'delete-replaced' && effect === 'mark-pending',
    ...viewRequest,
  }
}

/** Returns the request that reads a state again by its id. */
export function toReadRequest(state: ResourceState): Parameters<Provider['read']>[0] {
  return {
    ...resourceIdentityOf(state),
    id: state.id,
    inputs: state.inputs,
    outputs: state.outputs,
    timeoutSeconds: state.customTimeouts.read ?? 0,
  }
}

/** Returns the provider of a step, with the extension of its resource. */
export function resolveStepProvider(
  { provider, next, old }: Step,
  deps: Pick<PerformDeps, 'provider'>,
): Promise<Provider> {
  return deps.provider(provider, (next ?? old?.state)?.extensionRef ?? '')
}

/**
 * Sends a create, update or delete to the provider of a step, and retries the call if the provider
 * never received it. Each try resolves the provider again, which includes the check of the lease.
 */
export function callStepProvider<T>(
  deps: PerformDeps,
  step: Step,
  call: (provider: Provider) => Promise<T>,
): Promise<T> {
  return retryUnsent(
    { getInstance: () => resolveStepProvider(step, deps), beforeRetry: deps.beforeRetry },
    call,
  )
}
