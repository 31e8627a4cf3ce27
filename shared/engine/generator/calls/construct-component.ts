import type {
  ConstructResult,
  Durations,
  HookNames,
  DeploymentContext,
} from '../../../providers/construct.ts'
import { parseReference } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import { emptyMap, type PropertyMap } from '../../../values/value.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { decided, type Failed, failDeployment, type Result, stopped } from '../stage.ts'
import { describeDenial, deniedPackageOf } from '../providers/denied-providers.ts'
import { inherit, type Registration } from '../registration/goal.ts'
import { addOutputDependencies } from './output-dependencies.ts'
import { describeProviderError } from './describe-provider-error.ts'
import {
  type DefaultProviders,
  findExplicitProvider,
  registerCallExtension,
} from '../providers/resolve-provider.ts'

/** A component that a provider constructs, as the program registers it. */
export interface RemoteRegistration {
  /** Output values stay in the inputs; the options below replace those in the registration. */
  readonly registration: Registration
  readonly customTimeouts: Durations | undefined
  readonly hooks: HookNames | undefined
  readonly stackTraceHandle: string
  /** Registers the bare component in place of a provider that is not configured yet. */
  readonly registerBare: () => Promise<Urn>
}

/** A constructed component; `dependencies` include those of output values. */
export interface ConstructedComponent {
  readonly urn: Urn
  readonly outputs: PropertyMap
  readonly dependencies: ReadonlyMap<string, readonly Urn[]>
}

/**
 * Constructs a component: the provider registers its resources itself. Nothing of this is recorded:
 * each generator requests it again, and the registrations are answered from their own records. An
 * error of the provider ends the deployment. Source: docs/spec/monitor.md#resourcemonitor steps
 * 10-19, docs/spec/provider-protocol.md#components-construct.
 */
export async function constructComponent(
  ctx: GeneratorContext,
  request: RemoteRegistration,
  deps: { readonly defaults: DefaultProviders; readonly runInfo: DeploymentContext },
): Promise<Result<ConstructedComponent>> {
  const { input, ports } = ctx
  const above = request.registration.parent
  const goal = above === '' ? undefined : input.sets.goals.get(above)
  const registration = inherit(request.registration, goal)
  const named = findExplicitProvider(input, registration)
  const resolved =
    named === '' ? await deps.defaults.resolveReference(registration.plugin) : decided(named)
  if (resolved.kind === 'failed') return resolved
  const provider = resolved.value
  const providers = childProvidersOf(input, registration)
  for (const reference of providers.values()) parseReference(reference)
  if (ports.isAborted()) return stopped
  const denied = deniedPackageOf(provider)
  if (denied !== undefined) throw new Error(describeDenial(denied, registration.type))
  const extension = registerCallExtension(ctx, registration.plugin)
  const instance = await ports.providers.getInstance(provider, extension)
  const { type, name, parent, inputs, propertyDependencies, ...options } = registration
  const requested = instance
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
      preview: input.preview,
    })
    .then(decided, (thrown: unknown) => failConstruct(ctx, registration, thrown))
  // An aborted deployment does not wait for a provider that may never return.
  const result = await Promise.race([requested, ports.aborted])
  if (result === undefined || ports.isAborted()) return stopped
  if (result.kind === 'failed') return result
  const constructed =
    result.value === 'unconfigured' ? await constructBare(request) : constructedOf(result.value)
  ctx.apply({ componentProviders: [[constructed.urn, providers]] })
  return decided(constructed)
}

/** Returns the providers for the children of a component: its own, and those of its parent. */
export function childProvidersOf(
  { sets }: Pick<DecisionInput, 'sets'>,
  { parent, providers }: Pick<Registration, 'parent' | 'providers'>,
): ReadonlyMap<string, string> {
  const above = parent === '' ? undefined : sets.componentProviders.get(parent)
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

function failConstruct(
  { ports }: GeneratorContext,
  { type, name, inputs }: Registration,
  thrown: unknown,
): Failed {
  // A construct that was told to stop fails: that is no error.
  if (ports.isAborted()) return stopped
  const problem = describeProviderError(thrown, inputs)
  return failDeployment(`${type} resource '${name}' has a problem: ${problem}`)
}
