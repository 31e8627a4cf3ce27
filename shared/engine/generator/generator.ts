import { stackType, type Urn } from '../../names/urn.ts'
import type { DeploymentContext } from '../../providers/component-construction.ts'
import type { CallResult } from '../../providers/provider.ts'
import type { PropertyMap } from '../../values/value.ts'
import type { PackageRequest } from '../../providers/package-request.ts'
import type { ConfigValue } from '../request.ts'
import { type CallAddress, callMethod, type MethodRequest } from './calls/call-method.ts'
import {
  type ConstructedComponent,
  constructComponent,
  childProvidersOf,
  type RemoteRegistration,
} from './calls/construct-component.ts'
import { type FunctionRequest, invokeFunction } from './calls/invoke-function.ts'
import { type ReadRequest, readResource } from './calls/read-resource.ts'
import { createResourceTree, type ResourceTree } from './calls/resource-tree.ts'
import type { GeneratorContext } from './context.ts'
import { unwrap, unwrapAnswer } from './finish-stage.ts'
import { createDefaultProviders, resolveProvider } from './providers/default-providers.ts'
import type { Registration } from './registration/goal.ts'
import {
  type InheritanceRequest,
  type Inheritance,
  inheritOptions,
} from './registration/inherit-options.ts'
import { registerResource } from './registration/register-resource.ts'
import type { CurrentState } from './sets.ts'
import { recordRegisteredOutputs, requireRegistered } from './steps/record-registered-outputs.ts'
import { runOutputHooks } from './steps/settled-hooks.ts'

/**
 * The methods that serve the requests of a program. Several calls may run concurrently. A failure
 * is reported first, and then thrown as `DeploymentAborted` or `RegistrationFailed`.
 */
export interface Generator {
  /**
   * Decides and runs a registration, and returns the resource. `hasInheritedOptions`: the
   * registration already has the options of its parent.
   */
  readonly register: (
    registration: Registration,
    hasInheritedOptions?: boolean,
  ) => Promise<CurrentState>
  /** Returns the options that a registration has or inherits from its parent. */
  readonly inheritOptions: (request: InheritanceRequest) => Inheritance
  /** Constructs a component through its provider. */
  readonly construct: (request: RemoteRegistration) => Promise<ConstructedComponent>
  /**
   * Registers a resource below a parent. Until the registration ends, the parent has a pending
   * child.
   */
  readonly registerBelow: ResourceTree['registerBelow']
  /** Reads a resource by its id. */
  readonly read: (request: ReadRequest) => Promise<CurrentState>
  /**
   * Registers outputs. The outputs of a component are stored immediately. The outputs of the stack
   * are stored at the end of the deployment.
   */
  readonly registerOutputs: (urn: Urn, outputs: PropertyMap) => Promise<void>
  /**
   * Calls a function of a provider. `unknown`: a dependency does not exist yet, so the function was
   * not called.
   */
  readonly invoke: (request: FunctionRequest) => Promise<CallResult | 'unknown'>
  /** Calls a method of a resource. */
  readonly call: (request: MethodRequest) => Promise<CallResult>
  /** Resolves when no request is pending. */
  readonly waitUntilSettled: () => Promise<void>
  /**
   * Returns the stack outputs that the program registered. Returns undefined if it registered none.
   */
  readonly readStackOutputs: () => PropertyMap | undefined
}

/** The dependencies of a generator. */
export interface GeneratorDeps {
  readonly ctx: GeneratorContext
  readonly config: ReadonlyMap<string, ConfigValue>
  /** Package → plugin of its default provider, from `chooseDefaultPackages`. */
  readonly defaultPackages: ReadonlyMap<string, PackageRequest>
  /** The data about the deployment that the providers of methods and components receive. */
  readonly deploymentContext: DeploymentContext
  /** Opens an address of the monitor for a single method call. */
  readonly openAddress: () => Promise<CallAddress>
}

/** Creates the generator of one run of a program. */
export function createGenerator(deps: GeneratorDeps): Generator {
  const { ctx, config, defaultPackages } = deps
  const defaultProviders = createDefaultProviders(ctx, config, defaultPackages)
  const tree = createResourceTree(ctx.ports.whenAborted)
  const { track, waitUntilSettled } = createRequestTracker()
  let stackOutputs: PropertyMap | undefined
  const register = async (
    request: Registration,
    hasInheritedOptions: boolean,
  ): Promise<CurrentState> => {
    const registration = hasInheritedOptions
      ? request
      : { ...request, ...inheritOptions(ctx.input, request) }
    const goal = unwrap(
      ctx,
      await resolveProvider(ctx, registration, defaultProviders, defaultPackages),
    )
    const current = unwrap(ctx, await registerResource(ctx, goal))
    const { urn, id } = current.state
    const { custom, parent } = registration
    if (!custom)
      ctx.apply({ componentProviders: [[urn, childProvidersOf(ctx.input, registration)]] })
    tree.record({ urn, parent, custom, exists: id !== '' })
    return current
  }
  const construct = async (request: RemoteRegistration): Promise<ConstructedComponent> => {
    const component = unwrap(
      ctx,
      await constructComponent(ctx, request, { ...deps, defaultProviders }),
    )
    const { parent } = request.registration
    tree.record({ urn: component.urn, parent, custom: false, exists: true })
    return component
  }
  const read = async (request: ReadRequest): Promise<CurrentState> => {
    const current = unwrapAnswer(ctx, await readResource(ctx, request, defaultProviders))
    tree.record({ urn: current.state.urn, parent: request.parent, custom: true, exists: true })
    return current
  }
  const invoke = async (request: FunctionRequest): Promise<CallResult | 'unknown'> =>
    unwrap(ctx, await invokeFunction(ctx, request, { tree, defaultProviders }))
  const call = async (request: MethodRequest): Promise<CallResult> =>
    unwrap(ctx, await callMethod(ctx, request, { ...deps, defaultProviders }))
  return {
    register: (request, hasInheritedOptions = false) =>
      track(register(request, hasInheritedOptions)),
    inheritOptions: request => inheritOptions(ctx.input, request),
    construct: request => track(construct(request)),
    registerBelow: (parent, registerChild) => track(tree.registerBelow(parent, registerChild)),
    read: request => track(read(request)),
    registerOutputs: (urn, outputs) => {
      const current = unwrap(ctx, requireRegistered(ctx.input, urn))
      // A resource that is not created has no outputs. A resource that is only read keeps the
      // outputs that were read.
      if (current.skipReason === 'not created' || current.skipReason === 'as read')
        return Promise.resolve()
      if (current.state.type === stackType && current.state.parent === '') {
        stackOutputs = outputs
        return Promise.resolve()
      }
      return track(
        recordRegisteredOutputs(ctx, current, outputs).then(() => runOutputHooks(ctx, urn)),
      )
    },
    invoke: request => track(invoke(request)),
    call: request => track(call(request)),
    waitUntilSettled,
    readStackOutputs: () => stackOutputs,
  }
}

/**
 * Creates the set of pending requests. `track` adds a request to the set, and removes it at its
 * end.
 */
function createRequestTracker(): Pick<Generator, 'waitUntilSettled'> & {
  readonly track: <T>(request: Promise<T>) => Promise<T>
} {
  const pendingRequests = new Set<Promise<unknown>>()
  return {
    track(request) {
      const trackedRequest = request.finally(() => pendingRequests.delete(trackedRequest))
      pendingRequests.add(trackedRequest)
      // The caller gets a rejection through the returned promise.
      trackedRequest.catch(() => undefined)
      return trackedRequest
    },
    async waitUntilSettled() {
      while (pendingRequests.size > 0) await Promise.allSettled([...pendingRequests])
    },
  }
}
