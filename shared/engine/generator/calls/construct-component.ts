import type {
  ConstructResult,
  TimeoutTexts,
  HookNames,
  DeploymentContext,
} from '../../../providers/component-construction.ts'
import { parseProviderReference } from '../../../names/provider-reference.ts'
import type { Urn } from '../../../names/urn.ts'
import { emptyMap, type PropertyMap } from '../../../values/value.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import {
  toDecided,
  type FailedResult,
  failDeployment,
  type Result,
  stoppedResult,
} from '../stage.ts'
import { describeDenial, deniedPackageOf } from '../providers/denied-providers.ts'
import { inheritFromParent, type Registration } from '../registration/goal.ts'
import { addOutputDependencies } from './output-dependencies.ts'
import { describeProviderError } from './describe-provider-error.ts'
import {
  type DefaultProviders,
  findExplicitProvider,
  registerCallExtension,
} from '../providers/default-providers.ts'

/** A component that a provider constructs, as the program registers it. */
export interface RemoteRegistration {
  /**
   * The inputs may contain output values. The members `customTimeouts` and `hooks` below replace
   * the timeouts and hooks of the registration.
   */
  readonly registration: Registration
  readonly customTimeouts: TimeoutTexts | undefined
  readonly hooks: HookNames | undefined
  readonly stackTraceHandle: string
  /**
   * Registers the component without children. Called if the Construct call returns `unconfigured`.
   */
  readonly registerBare: () => Promise<Urn>
}

/** A constructed component. `dependencies` includes the dependencies of output values. */
export interface ConstructedComponent {
  readonly urn: Urn
  readonly outputs: PropertyMap
  readonly dependencies: ReadonlyMap<string, readonly Urn[]>
}

/**
 * Constructs a component. Its provider registers the resources of the component. The call is not
 * recorded. Each generator run repeats the call, and answers the registrations of the component
 * from the records. An error of the provider ends the deployment. Source:
 * docs/spec/monitor.md#registerresource steps 10-19,
 * docs/spec/provider-protocol.md#components-construct.
 */
export async function constructComponent(
  ctx: GeneratorContext,
  request: RemoteRegistration,
  deps: {
    readonly defaultProviders: DefaultProviders
    readonly deploymentContext: DeploymentContext
  },
): Promise<Result<ConstructedComponent>> {
  const { input, ports } = ctx
  const parentUrn = request.registration.parent
  const parentGoal = parentUrn === '' ? undefined : input.sets.goals.get(parentUrn)
  const registration = inheritFromParent(request.registration, parentGoal)
  const explicitReference = findExplicitProvider(input, registration)
  const referenceResult =
    explicitReference === ''
      ? await deps.defaultProviders.resolveReference(registration.plugin)
      : toDecided(explicitReference)
  if (referenceResult.kind === 'failed') return referenceResult
  const provider = referenceResult.value
  const providers = childProvidersOf(input, registration)
  // Throws for an invalid reference.
  for (const reference of providers.values()) parseProviderReference(reference)
  if (ports.isAborted()) return stoppedResult
  const deniedPackage = deniedPackageOf(provider)
  if (deniedPackage !== undefined) throw new Error(describeDenial(deniedPackage, registration.type))
  const extension = registerCallExtension(ctx, registration.plugin)
  const instance = await ports.providers.getInstance(provider, extension)
  const { type, name, parent, inputs, propertyDependencies, ...options } = registration
  const construction = instance
    .construct({
      type,
      name,
      parent,
      inputs,
      options: {
        ...options,
        inputDependencies: propertyDependencies,
        providers,
        customTimeouts: request.customTimeouts,
        hooks: request.hooks,
      },
      context: deps.deploymentContext,
      stackTraceHandle: request.stackTraceHandle,
      preview: input.isPreview,
    })
    .then(toDecided, (thrown: unknown) => failConstruct(ctx, registration, thrown))
  // An aborted deployment does not wait for a provider that may never return.
  const result = await Promise.race([construction, ports.whenAborted])
  if (result === undefined || ports.isAborted()) return stoppedResult
  if (result.kind === 'failed') return result
  const component =
    result.value === 'unconfigured'
      ? await constructBare(request)
      : toConstructedComponent(result.value)
  ctx.apply({ componentProviders: [[component.urn, providers]] })
  return toDecided(component)
}

/**
 * Returns package → provider reference for the children of a component. The `providers` of the
 * component take precedence over the entries that it inherits from its parent.
 */
export function childProvidersOf(
  { sets }: Pick<DecisionInput, 'sets'>,
  { parent, providers }: Pick<Registration, 'parent' | 'providers'>,
): ReadonlyMap<string, string> {
  const parentProviders = parent === '' ? undefined : sets.componentProviders.get(parent)
  return new Map([...(parentProviders ?? []), ...providers])
}

async function constructBare({ registerBare }: RemoteRegistration): Promise<ConstructedComponent> {
  return { urn: await registerBare(), outputs: emptyMap, dependencies: new Map() }
}

function toConstructedComponent({
  urn,
  outputs,
  dependencies,
}: ConstructResult): ConstructedComponent {
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
): FailedResult {
  // An abort makes a running Construct call fail. This failure is not reported as an error.
  if (ports.isAborted()) return stoppedResult
  const problem = describeProviderError(thrown, inputs)
  return failDeployment(`${type} resource '${name}' has a problem: ${problem}`)
}
