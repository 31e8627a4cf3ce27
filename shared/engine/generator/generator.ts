import { stackType, type Urn } from '../../names/urn.ts'
import type { DeploymentContext } from '../../providers/construct.ts'
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
import { createDefaultProviders, resolveProvider } from './providers/resolve-provider.ts'
import type { Registration } from './registration/goal.ts'
import {
  type InheritingRequest,
  type Inheritance,
  inheritOptions,
} from './registration/inherit-options.ts'
import { registerResource } from './registration/register-resource.ts'
import type { CurrentState } from './sets.ts'
import { applyOutputs, requireRegistered } from './steps/apply-outputs.ts'
import { runOutputHooks } from './steps/settled-hooks.ts'

/**
 * The requests of a program; every method may be called while others run. Failures are thrown as
 * `Bail` or `RegistrationFailed`, after they were reported.
 */
export interface Generator {
  /**
   * Decides and runs a registration, and returns the resource. `hasInherited`: the registration has
   * the options of its parent already.
   */
  readonly register: (registration: Registration, hasInherited?: boolean) => Promise<CurrentState>
  /** Returns the options that a registration has or inherits from its parent. */
  readonly inheritOptions: (request: InheritingRequest) => Inheritance
  /** Constructs a component by its provider. */
  readonly construct: (request: RemoteRegistration) => Promise<ConstructedComponent>
  /** Registers a resource below a parent; the parent has a pending child until it is done. */
  readonly registerBelow: ResourceTree['registerBelow']
  readonly read: (request: ReadRequest) => Promise<CurrentState>
  /** Registers outputs: of a component at once, of the stack at the end. */
  readonly registerOutputs: (urn: Urn, outputs: PropertyMap) => Promise<void>
  /** `unknown`: a dependency has no id yet, so the function was not called. */
  readonly invoke: (request: FunctionRequest) => Promise<CallResult | 'unknown'>
  /** Calls a method of a resource. */
  readonly call: (request: MethodRequest) => Promise<CallResult>
  /** Resolves when no request is being decided or run. */
  readonly waitUntilSettled: () => Promise<void>
  /** The stack outputs that the program registered, undefined when it registered none. */
  readonly readStackOutputs: () => PropertyMap | undefined
}

/** The dependencies of a generator. */
export interface GeneratorDeps {
  readonly ctx: GeneratorContext
  readonly config: ReadonlyMap<string, ConfigValue>
  /** Package → plugin, as the program's dependencies name it. */
  readonly required: ReadonlyMap<string, PackageRequest>
  /** The run, as methods and constructs see it. */
  readonly runInfo: DeploymentContext
  /** Opens an address of the monitor for one method call. */
  readonly openAddress: () => Promise<CallAddress>
}

/** Creates the generator of one run of a program. */
export function createGenerator(deps: GeneratorDeps): Generator {
  const { ctx, config, required } = deps
  const defaults = createDefaultProviders(ctx, config, required)
  const tree = createResourceTree(ctx.ports.aborted)
  const open = new Set<Promise<unknown>>()
  let stackOutputs: PropertyMap | undefined
  const track = <T>(work: Promise<T>): Promise<T> => {
    const done = work.finally(() => open.delete(done))
    open.add(done)
    done.catch(() => undefined)
    return done
  }
  const register = async (request: Registration, hasInherited: boolean): Promise<CurrentState> => {
    const registration = hasInherited
      ? request
      : { ...request, ...inheritOptions(ctx.input, request) }
    const goal = unwrap(ctx, await resolveProvider(ctx, registration, defaults, required))
    const current = unwrap(ctx, await registerResource(ctx, goal))
    const { urn, id } = current.state
    const { custom, parent } = registration
    if (!custom)
      ctx.apply({ componentProviders: [[urn, childProvidersOf(ctx.input, registration)]] })
    tree.record({ urn, parent, custom, exists: id !== '' })
    return current
  }
  const construct = async (request: RemoteRegistration): Promise<ConstructedComponent> => {
    const made = unwrap(ctx, await constructComponent(ctx, request, { ...deps, defaults }))
    const { parent } = request.registration
    tree.record({ urn: made.urn, parent, custom: false, exists: true })
    return made
  }
  const read = async (request: ReadRequest): Promise<CurrentState> => {
    const current = unwrapAnswer(ctx, await readResource(ctx, request, defaults))
    tree.record({ urn: current.state.urn, parent: request.parent, custom: true, exists: true })
    return current
  }
  const invoke = async (request: FunctionRequest): Promise<CallResult | 'unknown'> =>
    unwrap(ctx, await invokeFunction(ctx, request, { tree, defaults }))
  const call = async (request: MethodRequest): Promise<CallResult> =>
    unwrap(ctx, await callMethod(ctx, request, { ...deps, defaults }))
  return {
    register: (request, hasInherited = false) => track(register(request, hasInherited)),
    inheritOptions: request => inheritOptions(ctx.input, request),
    construct: request => track(construct(request)),
    registerBelow: tree.registerBelow,
    read: request => track(read(request)),
    registerOutputs: (urn, outputs) => {
      const current = unwrap(ctx, requireRegistered(ctx.input, urn))
      // A resource that is not created has no outputs; one that is only read keeps its own.
      if (current.skipReason === 'not made' || current.skipReason === 'as read')
        return Promise.resolve()
      if (current.state.type === stackType && current.state.parent === '') {
        stackOutputs = outputs
        return Promise.resolve()
      }
      return track(applyOutputs(ctx, current, outputs).then(() => runOutputHooks(ctx, urn)))
    },
    invoke: request => track(invoke(request)),
    call: request => track(call(request)),
    async waitUntilSettled() {
      while (open.size > 0) await Promise.allSettled([...open])
    },
    readStackOutputs: () => stackOutputs,
  }
}
