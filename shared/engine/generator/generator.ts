import { packageOf } from '../../names/provider-reference.ts'
import { stackType, type Urn } from '../../names/urn.ts'
import type { DeploymentContext } from '../../providers/construct.ts'
import type { CallResult } from '../../providers/provider.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import { equalMaps } from '../../values/equal.ts'
import { messageOf } from '../../errors/error.ts'
import type { PackageRequest } from '../../providers/package-request.ts'
import type { ConfigValue } from '../request.ts'
import { type CallAddress, callMethod, type MethodRequest } from './calls/call-method.ts'
import {
  type ConstructedComponent,
  constructComponent,
  childProvidersOf,
  type RemoteRegistration,
} from './calls/construct-component.ts'
import { bail, Bail, type GeneratorContext } from './context.ts'
import { generate } from './generate.ts'
import type { Registration } from './registration/goal.ts'
import { describeDenial, deniedPackageOf } from './providers/denied-providers.ts'
import {
  type InheritingRequest,
  type Inheritance,
  inheritOptions,
} from './registration/inherit-options.ts'
import { checkOutputsAgainstPlan } from './checks/check-update-plan.ts'
import {
  createDefaultProviders,
  type DefaultProviders,
  registerCallExtension,
  resolveProvider,
} from './providers/resolve-provider.ts'
import { type ReadRequest, readResource } from './calls/read-resource.ts'
import { createResourceTree, type ResourceTree } from './calls/resource-tree.ts'
import { runOutputHooks } from './steps/settled-hooks.ts'
import type { TrackedState } from '../step.ts'
import { type CurrentState, currentTrackedAt } from './sets.ts'

/** A function call of the program. */
export interface InvokeRequest {
  readonly token: string
  readonly args: PropertyMap
  readonly provider: string
  readonly parent: Urn | ''
  readonly dependsOn: readonly Urn[]
  readonly plugin: PackageRequest
}

/** What a program can ask for; every method may be called while others run. */
export interface Generator {
  /**
   * Decides, carries out, and answers what the resource is. Throws `Bail` or `RegistrationFailed`
   * after the error was told. `hasInherited`: what its parent hands down was put in already.
   */
  readonly register: (registration: Registration, hasInherited?: boolean) => Promise<CurrentState>
  /** What a registration gets from its parent where it says nothing itself. */
  readonly inheritOptions: (request: InheritingRequest) => Inheritance
  /**
   * Has a provider make a component, and answers what came of it. Throws `Bail` after its error was
   * told.
   */
  readonly construct: (request: RemoteRegistration) => Promise<ConstructedComponent>
  /** Registers something below a parent, which is known to be on its way from here on. */
  readonly registerBelow: ResourceTree['registerBelow']
  readonly read: (request: ReadRequest) => Promise<CurrentState>
  /** Outputs of a component at once, of the stack at the end. */
  readonly registerOutputs: (urn: Urn, outputs: PropertyMap) => Promise<void>
  /** `unknown`: something it depends on has no id yet, so nobody was asked. */
  readonly invoke: (request: InvokeRequest) => Promise<CallResult | 'unknown'>
  /** A method of a resource. Throws `Bail` after a provider's error was told. */
  readonly call: (request: MethodRequest) => Promise<CallResult>
  /** Resolves when nothing that was asked is still being decided or carried out. */
  readonly waitUntilSettled: () => Promise<void>
  /** What the program gave as the stack's outputs, undefined when it gave none. */
  readonly readStackOutputs: () => PropertyMap | undefined
}

/** What a generator needs besides its context. */
export interface GeneratorDeps {
  readonly ctx: GeneratorContext
  readonly config: ReadonlyMap<string, ConfigValue>
  /** Package → what the program's dependencies say of its plugin. */
  readonly required: ReadonlyMap<string, PackageRequest>
  /** What methods are told. */
  readonly runInfo: DeploymentContext
  /** An address of the monitor for one method call. */
  readonly openAddress: () => Promise<CallAddress>
}

/** Makes the generator of one run of a program. */
export function createGenerator(deps: GeneratorDeps): Generator {
  const { ctx, config, required } = deps
  const defaults = createDefaultProviders(ctx, config, required)
  const tree = createResourceTree(ctx.aborted)
  const open = new Set<Promise<unknown>>()
  let stackOutputs: PropertyMap | undefined
  const track = <T>(work: Promise<T>): Promise<T> => {
    const done = work.finally(() => open.delete(done))
    open.add(done)
    done.catch(() => undefined)
    return done
  }
  const register = async (request: Registration, hasInherited: boolean): Promise<CurrentState> => {
    const registration = hasInherited ? request : { ...request, ...inheritOptions(ctx, request) }
    const goal = await resolveProvider(ctx, registration, defaults, required)
    const current = await generate(ctx, goal)
    const { urn, id } = current.state
    const { custom, parent } = registration
    if (!custom) ctx.sets.componentProviders.set(urn, childProvidersOf(ctx, registration))
    tree.record({ urn, parent, custom, exists: id !== '' })
    return current
  }
  const construct = async (request: RemoteRegistration): Promise<ConstructedComponent> => {
    const made = await constructComponent(ctx, request, { ...deps, defaults })
    const { parent } = request.registration
    tree.record({ urn: made.urn, parent, custom: false, exists: true })
    return made
  }
  const read = async (request: ReadRequest): Promise<CurrentState> => {
    const current = await readResource(ctx, request, defaults)
    tree.record({ urn: current.state.urn, parent: request.parent, custom: true, exists: true })
    return current
  }
  return {
    register: (request, hasInherited = false) => track(register(request, hasInherited)),
    inheritOptions: request => inheritOptions(ctx, request),
    construct: request => track(construct(request)),
    registerBelow: tree.registerBelow,
    read: request => track(read(request)),
    registerOutputs: (urn, outputs) => {
      const current = ctx.sets.current.get(urn)
      if (current === undefined)
        bail(ctx, `cannot complete a resource '${urn}' whose registration isn't pending`, urn)
      // What is not made has no outputs either, and what is only read has its own.
      if (current.skipReason === 'not made' || current.skipReason === 'as read')
        return Promise.resolve()
      if (current.state.type === stackType && current.state.parent === '') {
        stackOutputs = outputs
        return Promise.resolve()
      }
      return track(applyOutputs(ctx, current, outputs).then(() => runOutputHooks(ctx, urn)))
    },
    invoke: request => track(invoke(ctx, request, { tree, defaults })),
    call: request => track(callMethod(ctx, request, { ...deps, defaults })),
    async waitUntilSettled() {
      while (open.size > 0) await Promise.allSettled([...open])
    },
    readStackOutputs: () => stackOutputs,
  }
}

/**
 * Puts outputs into a resource's state; written only when they differ. Source:
 * docs/spec/step-execution.md#registerresourceoutputs.
 */
export async function applyOutputs(
  ctx: GeneratorContext,
  current: CurrentState,
  outputs: PropertyMap,
): Promise<void> {
  checkOutputsAgainstPlan(ctx, current.state.urn, outputs)
  const state = { ...current.state, outputs }
  const unchanged = equalMaps(current.state.outputs, outputs)
  const tracked = unchanged ? current : await ctx.runner.recordOutputs(current, state)
  ctx.sets.current.set(state.urn, { ...tracked, op: current.op })
  ctx.emitter.emitOutputs(current.op, findStateBefore(ctx, current), tracked.state)
}

/** What a component was when the program began; nothing when it was made since. */
function findStateBefore(
  ctx: GeneratorContext,
  { op, state }: CurrentState,
): TrackedState | undefined {
  const index = ctx.base.liveIndexOf(ctx.sets.formerUrns.get(state.urn) ?? state.urn)
  return index === undefined || op === 'create' ? undefined : currentTrackedAt(ctx, index)
}

async function invoke(
  ctx: GeneratorContext,
  request: InvokeRequest,
  deps: { readonly tree: ResourceTree; readonly defaults: DefaultProviders },
): Promise<CallResult | 'unknown'> {
  const above = childProvidersOf(ctx, { ...request, providers: none }).get(packageOf(request.token))
  const requestedProvider = request.provider || (above ?? '')
  const reference =
    requestedProvider === ''
      ? await deps.defaults.resolveReference(request.plugin)
      : requestedProvider
  if (await deps.tree.isPending(request.dependsOn)) return 'unknown'
  if (ctx.isAborted()) throw new Bail()
  const denied = deniedPackageOf(reference)
  if (denied !== undefined) throw new Error(describeDenial(denied, request.token))
  const extension = registerCallExtension(ctx, request.plugin)
  const parts = extension === '' ? [request.token] : [request.token, extension]
  const identity = { parts, args: request.args, provider: reference }
  try {
    // What this deployment has made is in this process: it is asked again in each life.
    if (request.token === 'pulumi:pulumi:getResource') return getResource(ctx, request.args)
    return await ctx.runner.answerCall(
      ctx.callDigestOf({ kind: 'invoke', ...identity }),
      async () => {
        const instance = await ctx.providers.getInstance(reference, extension)
        return instance.invoke({ token: request.token, args: request.args, preview: ctx.preview })
      },
    )
  } catch (thrown) {
    throw new Error(`invocation of ${request.token} returned an error: ${messageOf(thrown)}`, {
      cause: thrown,
    })
  }
}

const none: ReadonlyMap<string, string> = new Map()

/**
 * The state of a resource that was registered or read in this deployment, or of a view, for
 * references. Source: docs/spec/providers.md#built-in-provider.
 */
function getResource(ctx: GeneratorContext, args: PropertyMap): CallResult {
  const value = args.get('urn')
  const urn = typeof value === 'string' ? value : ''
  const { current, views } = ctx.sets
  const state = current.get(urn as Urn)?.state ?? views.get(urn as Urn)
  if (state === undefined) throw new Error(`unknown resource ${urn}`)
  const outputs = new Map<string, string | PropertyMap>([
    ['urn', state.urn],
    ['id', state.id],
    ['provider', state.provider],
    ['state', state.outputs ?? emptyMap],
  ])
  return { outputs, failures: [] }
}
