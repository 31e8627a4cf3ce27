import type {
  ConstructResult,
  Durations,
  HookNames,
  DeploymentContext,
} from '../../../providers/construct.ts'
import { parseReference } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import { emptyMap, type PropertyMap } from '../../../values/value.ts'
import { Bail, type GeneratorContext } from '../context.ts'
import { describeDenial, deniedPackageOf } from '../providers/denied-providers.ts'
import { inherit, type Registration } from '../registration/goal.ts'
import { addOutputDependencies } from './output-dependencies.ts'
import { describeProviderError } from './describe-provider-error.ts'
import {
  type DefaultProviders,
  findExplicitProvider,
  registerCallExtension,
} from '../providers/resolve-provider.ts'

/** A component that a provider is to make, as the program registers it. */
export interface RemoteRegistration {
  /** Output values stay in the inputs; what the provider is told otherwise stands below. */
  readonly registration: Registration
  readonly customTimeouts: Durations | undefined
  readonly hooks: HookNames | undefined
  readonly stackTraceHandle: string
  /** Registers the bare component in the place of a provider that cannot be asked yet. */
  readonly registerBare: () => Promise<Urn>
}

/** A component that was made. What output values inside depend on stands in `dependencies` too. */
export interface ConstructedComponent {
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
  request: RemoteRegistration,
  deps: { readonly defaults: DefaultProviders; readonly runInfo: DeploymentContext },
): Promise<ConstructedComponent> {
  const above = request.registration.parent
  const goal = above === '' ? undefined : ctx.sets.goals.get(above)
  const registration = inherit(request.registration, goal)
  const named = findExplicitProvider(ctx, registration)
  const provider = named === '' ? await deps.defaults.resolveReference(registration.plugin) : named
  const providers = childProvidersOf(ctx, registration)
  for (const reference of providers.values()) parseReference(reference)
  if (ctx.isAborted()) throw new Bail()
  const denied = deniedPackageOf(provider)
  if (denied !== undefined) throw new Error(describeDenial(denied, registration.type))
  const extension = registerCallExtension(ctx, registration.plugin)
  const instance = await ctx.providers.getInstance(provider, extension)
  const { type, name, parent, inputs, propertyDependencies, ...options } = registration
  const made = instance
    .construct({
      ...{ type, name, parent, inputs },
      options: {
        ...options,
        inputDependencies: propertyDependencies,
        providers,
        customTimeouts: request.customTimeouts,
        hooks: request.hooks,
      },
      context: deps.runInfo,
      stackTraceHandle: request.stackTraceHandle,
      preview: ctx.preview,
    })
    .catch((thrown: unknown) => failConstruct(ctx, registration, thrown))
  // A provider that waits for what will not come any more is not waited for.
  const result = await Promise.race([made, ctx.aborted])
  if (result === undefined || ctx.isAborted()) throw new Bail()
  const constructed =
    result === 'unconfigured' ? await constructBare(request) : constructedOf(result)
  ctx.sets.componentProviders.set(constructed.urn, providers)
  return constructed
}

/** The providers of a component's children: its own, and those of the component above. */
export function childProvidersOf(
  ctx: GeneratorContext,
  { parent, providers }: Pick<Registration, 'parent' | 'providers'>,
): ReadonlyMap<string, string> {
  const above = parent === '' ? undefined : ctx.sets.componentProviders.get(parent)
  return new Map([...(above ?? []), ...providers])
}

async function constructBare({ registerBare }: RemoteRegistration): Promise<ConstructedComponent> {
  return { urn: await registerBare(), outputs: emptyMap, dependencies: new Map() }
}

function constructedOf({ urn, outputs, dependencies }: ConstructResult): ConstructedComponent {
  return {
    urn,
    outputs,
    dependencies: addOutputDependencies(outputs, dependencies),
  }
}

function failConstruct(ctx: GeneratorContext, registration: Registration, thrown: unknown): never {
  // Who was told to stop says so, which is no news.
  if (ctx.isAborted()) throw new Bail()
  const problem = describeProviderError(thrown, registration.inputs)
  ctx.emitter.report(
    'error',
    `${registration.type} resource '${registration.name}' has a problem: ${problem}`,
  )
  ctx.abort()
  throw new Bail()
}
