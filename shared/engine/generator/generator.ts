import { packageOf } from '../../names/provider-reference.ts'
import { stackType, type Urn } from '../../names/urn.ts'
import type { Surroundings } from '../../providers/construct.ts'
import type { CallResult } from '../../providers/provider.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import { equalMaps } from '../../values/equal.ts'
import { messageOf } from '../../errors/error.ts'
import type { PackageRequest } from '../../providers/package-request.ts'
import type { ConfigValue } from '../request.ts'
import { type CallAddress, callMethod, type MethodRequest } from './call.ts'
import {
  type Constructed,
  constructComponent,
  providersFor,
  type RemoteRegistration,
} from './construct.ts'
import { bail, Bail, type GeneratorContext } from './context.ts'
import { generate } from './generate.ts'
import type { Registration } from './goal.ts'
import { deniedMessage, deniedPackage } from './denied.ts'
import { type Heir, type Inheritance, inherited } from './inherited.ts'
import { planOutputs } from './planning.ts'
import {
  createDefaultProviders,
  type DefaultProviders,
  extensionFor,
  resolveProvider,
} from './provider-resolution.ts'
import { type ReadRequest, readResource } from './read.ts'
import { createResourceTree, type ResourceTree } from './resource-tree.ts'
import { afterOutputs } from './settled-hooks.ts'
import type { TrackedState } from '../step.ts'
import { type CurrentState, trackedNow } from './sets.ts'

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
  readonly inherited: (asked: Heir) => Inheritance
  /**
   * Has a provider make a component, and answers what came of it. Throws `Bail` after its error was
   * told.
   */
  readonly construct: (asked: RemoteRegistration) => Promise<Constructed>
  /** Registers something below a parent, which is known to be on its way from here on. */
  readonly below: ResourceTree['below']
  readonly read: (request: ReadRequest) => Promise<CurrentState>
  /** Outputs of a component at once, of the stack at the end. */
  readonly registerOutputs: (urn: Urn, outputs: PropertyMap) => Promise<void>
  /** `unknown`: something it depends on has no id yet, so nobody was asked. */
  readonly invoke: (request: InvokeRequest) => Promise<CallResult | 'unknown'>
  /** A method of a resource. Throws `Bail` after a provider's error was told. */
  readonly call: (request: MethodRequest) => Promise<CallResult>
  /** Resolves when nothing that was asked is still being decided or carried out. */
  readonly settled: () => Promise<void>
  /** What the program gave as the stack's outputs, undefined when it gave none. */
  readonly stackOutputs: () => PropertyMap | undefined
}

/** What a generator needs besides its context. */
export interface GeneratorDeps {
  readonly ctx: GeneratorContext
  readonly config: ReadonlyMap<string, ConfigValue>
  /** Package → what the program's dependencies say of its plugin. */
  readonly required: ReadonlyMap<string, PackageRequest>
  /** What methods are told. */
  readonly surroundings: Surroundings
  /** An address of the monitor for one method call. */
  readonly lendAddress: () => Promise<CallAddress>
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
  const register = async (asked: Registration, hasInherited: boolean): Promise<CurrentState> => {
    const registration = hasInherited ? asked : { ...asked, ...inherited(ctx, asked) }
    const goal = await resolveProvider(ctx, registration, defaults, required)
    const current = await generate(ctx, goal)
    const { urn, id } = current.state
    const { custom, parent } = registration
    if (!custom) ctx.sets.componentProviders.set(urn, providersFor(ctx, registration))
    tree.note({ urn, parent, custom, exists: id !== '' })
    return current
  }
  const construct = async (asked: RemoteRegistration): Promise<Constructed> => {
    const made = await constructComponent(ctx, asked, { ...deps, defaults })
    const { parent } = asked.registration
    tree.note({ urn: made.urn, parent, custom: false, exists: true })
    return made
  }
  const read = async (asked: ReadRequest): Promise<CurrentState> => {
    const current = await readResource(ctx, asked, defaults)
    tree.note({ urn: current.state.urn, parent: asked.parent, custom: true, exists: true })
    return current
  }
  return {
    register: (asked, hasInherited = false) => track(register(asked, hasInherited)),
    inherited: asked => inherited(ctx, asked),
    construct: asked => track(construct(asked)),
    below: tree.below,
    read: asked => track(read(asked)),
    registerOutputs: (urn, outputs) => {
      const current = ctx.sets.current.get(urn)
      if (current === undefined)
        bail(ctx, `cannot complete a resource '${urn}' whose registration isn't pending`, urn)
      // What is not made has no outputs either, and what is only read has its own.
      if (current.passedOver === 'not made' || current.passedOver === 'as read')
        return Promise.resolve()
      if (current.state.type === stackType && current.state.parent === '') {
        stackOutputs = outputs
        return Promise.resolve()
      }
      return track(applyOutputs(ctx, current, outputs).then(() => afterOutputs(ctx, urn)))
    },
    invoke: asked => track(invoke(ctx, asked, { tree, defaults })),
    call: asked => track(callMethod(ctx, asked, { ...deps, defaults })),
    async settled() {
      while (open.size > 0) await Promise.allSettled([...open])
    },
    stackOutputs: () => stackOutputs,
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
  planOutputs(ctx, current.state.urn, outputs)
  const state = { ...current.state, outputs }
  const unchanged = equalMaps(current.state.outputs, outputs)
  const tracked = unchanged ? current : await ctx.runner.outputs(current, state)
  ctx.sets.current.set(state.urn, { ...tracked, op: current.op })
  ctx.emitter.registeredOutputs(current.op, before(ctx, current), tracked.state)
}

/** What a component was when the program began; nothing when it was made since. */
function before(ctx: GeneratorContext, { op, state }: CurrentState): TrackedState | undefined {
  const index = ctx.base.live(ctx.sets.former.get(state.urn) ?? state.urn)
  return index === undefined || op === 'create' ? undefined : trackedNow(ctx, index)
}

async function invoke(
  ctx: GeneratorContext,
  asked: InvokeRequest,
  deps: { readonly tree: ResourceTree; readonly defaults: DefaultProviders },
): Promise<CallResult | 'unknown'> {
  const above = providersFor(ctx, { ...asked, providers: none }).get(packageOf(asked.token))
  const named = asked.provider || (above ?? '')
  const reference = named === '' ? await deps.defaults.reference(asked.plugin) : named
  if (await deps.tree.isOpen(asked.dependsOn)) return 'unknown'
  if (ctx.isAborted()) throw new Bail()
  const denied = deniedPackage(reference)
  if (denied !== undefined) throw new Error(deniedMessage(denied, asked.token))
  const extension = extensionFor(ctx, asked.plugin)
  const words = extension === '' ? [asked.token] : [asked.token, extension]
  const identity = { words, args: asked.args, provider: reference }
  try {
    // What this deployment has made is in this process: it is asked again in each life.
    if (asked.token === 'pulumi:pulumi:getResource') return getResource(ctx, asked.args)
    return await ctx.runner.answer(ctx.digestOfCall({ kind: 'invoke', ...identity }), async () => {
      const instance = await ctx.providers.instance(reference, extension)
      return instance.invoke({ token: asked.token, args: asked.args, preview: ctx.preview })
    })
  } catch (thrown) {
    throw new Error(`invocation of ${asked.token} returned an error: ${messageOf(thrown)}`, {
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
  const given = args.get('urn')
  const urn = typeof given === 'string' ? given : ''
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
