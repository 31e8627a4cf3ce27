import type {
  ConstructResult,
  Durations,
  HookNames,
  Surroundings,
} from '../../providers/construct.ts'
import { parseReference } from '../../names/provider-reference.ts'
import type { Urn } from '../../names/urn.ts'
import { emptyMap, type PropertyMap } from '../../values/value.ts'
import { Bail, type GeneratorContext } from './context.ts'
import { deniedMessage, deniedPackage } from './denied.ts'
import { inherit, type Registration } from './goal.ts'
import { withOutputs } from './output-dependencies.ts'
import { problemsOf } from './problem-lines.ts'
import { type DefaultProviders, explicitProvider, extensionFor } from './provider-resolution.ts'

/** A component that a provider is to make, as the program registers it. */
export interface RemoteRegistration {
  /** Output values stay in the inputs; what the provider is told otherwise stands below. */
  readonly registration: Registration
  readonly customTimeouts: Durations | undefined
  readonly hooks: HookNames | undefined
  readonly stackTraceHandle: string
  /** Registers the bare component in the place of a provider that cannot be asked yet. */
  readonly registerAlone: () => Promise<Urn>
}

/** A component that was made. What output values inside depend on stands in `dependencies` too. */
export interface Constructed {
  readonly urn: Urn
  readonly outputs: PropertyMap
  readonly dependencies: ReadonlyMap<string, readonly Urn[]>
}

/**
 * Has a provider make a component of resources, which it registers itself. Nothing of this is
 * recorded: each life asks again, and the registrations are answered from their own records. Throws
 * `Bail` after the provider's error was told. Source: docs/spec/monitor.md#resourcemonitor steps
 * 10-19, docs/spec/provider-protocol.md#components-construct.
 */
export async function constructComponent(
  ctx: GeneratorContext,
  asked: RemoteRegistration,
  deps: { readonly defaults: DefaultProviders; readonly surroundings: Surroundings },
): Promise<Constructed> {
  const above = asked.registration.parent
  const goal = above === '' ? undefined : ctx.sets.goals.get(above)
  const registration = inherit(asked.registration, goal)
  const named = explicitProvider(ctx, registration)
  const provider = named === '' ? await deps.defaults.reference(registration.plugin) : named
  const providers = providersFor(ctx, registration)
  for (const reference of providers.values()) parseReference(reference)
  if (ctx.isAborted()) throw new Bail()
  const denied = deniedPackage(provider)
  if (denied !== undefined) throw new Error(deniedMessage(denied, registration.type))
  const extension = extensionFor(ctx, registration.plugin)
  const instance = await ctx.providers.instance(provider, extension)
  const { type, name, parent, inputs, propertyDependencies, ...options } = registration
  const made = instance
    .construct({
      ...{ type, name, parent, inputs },
      options: {
        ...options,
        inputDependencies: propertyDependencies,
        providers,
        customTimeouts: asked.customTimeouts,
        hooks: asked.hooks,
      },
      surroundings: deps.surroundings,
      stackTraceHandle: asked.stackTraceHandle,
      preview: ctx.preview,
    })
    .catch((thrown: unknown) => refuse(ctx, registration, thrown))
  // A provider that waits for what will not come any more is not waited for.
  const result = await Promise.race([made, ctx.aborted])
  if (result === undefined || ctx.isAborted()) throw new Bail()
  const constructed = result === 'unconfigured' ? await alone(asked) : constructedOf(result)
  ctx.sets.componentProviders.set(constructed.urn, providers)
  return constructed
}

/** The providers of a component's children: its own, and those of the component above. */
export function providersFor(
  ctx: GeneratorContext,
  { parent, providers }: Pick<Registration, 'parent' | 'providers'>,
): ReadonlyMap<string, string> {
  const above = parent === '' ? undefined : ctx.sets.componentProviders.get(parent)
  return new Map([...(above ?? []), ...providers])
}

async function alone({ registerAlone }: RemoteRegistration): Promise<Constructed> {
  return { urn: await registerAlone(), outputs: emptyMap, dependencies: new Map() }
}

function constructedOf({ urn, outputs, dependencies }: ConstructResult): Constructed {
  return {
    urn,
    outputs,
    dependencies: withOutputs(outputs, dependencies),
  }
}

function refuse(ctx: GeneratorContext, asked: Registration, thrown: unknown): never {
  // Who was told to stop says so, which is no news.
  if (ctx.isAborted()) throw new Bail()
  const problem = problemsOf(thrown, asked.inputs)
  ctx.emitter.diagnostic(
    'error',
    `${asked.type} resource '${asked.name}' has a problem: ${problem}`,
  )
  ctx.abort()
  throw new Bail()
}
