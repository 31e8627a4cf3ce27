import { stackType, type Urn } from '../../names/urn.ts'
import type { CallResult, Surroundings } from '../../providers/provider.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import { equalMaps } from '../../values/equal.ts'
import { messageOf } from '../../errors/error.ts'
import type { PackageRequest } from '../../providers/package-request.ts'
import type { ConfigValue } from '../request.ts'
import { callMethod, type MethodRequest } from './call.ts'
import { bail, Bail, type GeneratorContext } from './context.ts'
import { generate } from './generate.ts'
import { inherit, type Registration } from './goal.ts'
import { deniedMessage, deniedPackage } from './denied.ts'
import {
  createDefaultProviders,
  explicitProvider,
  extensionFor,
  resolveProvider,
} from './provider-resolution.ts'
import { type ReadRequest, readResource } from './read.ts'
import type { CurrentState } from './sets.ts'

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
   * after the error was told.
   */
  readonly register: (registration: Registration) => Promise<CurrentState>
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
}

/** Makes the generator of one run of a program. */
export function createGenerator(deps: GeneratorDeps): Generator {
  const { ctx, config, required } = deps
  const defaults = createDefaultProviders(ctx, config, required)
  const open = new Set<Promise<unknown>>()
  let stackOutputs: PropertyMap | undefined
  const track = <T>(work: Promise<T>): Promise<T> => {
    const done = work.finally(() => open.delete(done))
    open.add(done)
    done.catch(() => undefined)
    return done
  }
  const register = async (asked: Registration): Promise<CurrentState> => {
    const above = asked.parent === '' ? undefined : ctx.sets.goals.get(asked.parent)
    const registration = inherit(asked, above)
    const goal = await resolveProvider(ctx, registration, defaults, required)
    const current = await generate(ctx, goal)
    if (!registration.custom) rememberProviders(ctx, registration, current.state.urn)
    return current
  }
  return {
    register: asked => track(register(asked)),
    read: asked => track(readResource(ctx, asked, defaults)),
    registerOutputs: (urn, outputs) => {
      const current = ctx.sets.current.get(urn)
      if (current === undefined)
        bail(ctx, `cannot complete a resource '${urn}' whose registration isn't pending`, urn)
      if (current.state.type === stackType && current.state.parent === '') {
        stackOutputs = outputs
        return Promise.resolve()
      }
      if (current.passedOver === 'not made') return Promise.resolve()
      return track(applyOutputs(ctx, current, outputs))
    },
    invoke: asked => track(invoke(ctx, asked, request => defaults.reference(request))),
    call: asked => track(callMethod(ctx, asked, { ...deps, defaults })),
    async settled() {
      while (open.size > 0) await Promise.allSettled([...open])
    },
    stackOutputs: () => stackOutputs,
  }
}

function rememberProviders(ctx: GeneratorContext, registration: Registration, urn: Urn): void {
  const above =
    registration.parent === '' ? undefined : ctx.sets.componentProviders.get(registration.parent)
  ctx.sets.componentProviders.set(urn, new Map([...(above ?? []), ...registration.providers]))
}

/** Puts outputs into a resource's state; written only when they differ. Source: `engine.md` 6.5. */
export async function applyOutputs(
  ctx: GeneratorContext,
  current: CurrentState,
  outputs: PropertyMap,
): Promise<void> {
  const state = { ...current.state, outputs }
  const unchanged = equalMaps(current.state.outputs, outputs)
  const tracked = unchanged ? current : await ctx.runner.outputs(current, state)
  ctx.sets.current.set(state.urn, { ...tracked, op: current.op })
  ctx.emitter.registeredOutputs(current.op, current, tracked.state)
}

async function invoke(
  ctx: GeneratorContext,
  asked: InvokeRequest,
  defaultFor: (request: PackageRequest) => Promise<string>,
): Promise<CallResult | 'unknown'> {
  const waits = asked.dependsOn.map(urn => ctx.sets.current.get(urn)?.state)
  if (waits.some(state => state?.custom === true && state.id === '')) return 'unknown'
  const provider = {
    provider: asked.provider,
    providers: new Map(),
    parent: asked.parent,
    type: asked.token,
  }
  const explicit = explicitProvider(ctx, provider)
  const reference = explicit === '' ? await defaultFor(asked.plugin) : explicit
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

/** The state of a resource of this deployment, for references. Source: `engine.md` 4.6. */
function getResource(ctx: GeneratorContext, args: PropertyMap): CallResult {
  const given = args.get('urn')
  const urn = typeof given === 'string' ? given : ''
  const current = ctx.sets.current.get(urn as Urn)
  if (current === undefined) throw new Error(`unknown resource ${urn}`)
  const { state } = current
  const outputs = new Map<string, string | PropertyMap>([
    ['urn', state.urn],
    ['id', state.id],
    ['provider', state.provider],
    ['state', state.outputs ?? emptyMap],
  ])
  return { outputs, failures: [] }
}
