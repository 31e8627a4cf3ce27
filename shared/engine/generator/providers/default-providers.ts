import {
  isProviderType,
  packageOf,
  parseProviderReference,
  providerTypeOf,
  type ProviderReference,
  providerReferenceOf,
} from '../../../names/provider-reference.ts'
import { messageOf } from '../../../errors/error.ts'
import { typeOf } from '../../../names/urn.ts'
import { type PackageRequest, packageVersionOf } from '../../../providers/package-request.ts'
import { withEngineValues, withPlugin } from '../../../providers/provider-inputs.ts'
import type { PropertyMap, PropertyValue } from '../../../values/value.ts'
import { secretOf } from '../../../values/value.ts'
import type { ConfigValue } from '../../request.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { finishStage } from '../finish-stage.ts'
import { toDecided, failDeployment, type Result } from '../stage.ts'
import { defaultNameOf } from './default-packages.ts'
import {
  deniedPackageOf,
  createDeniedReference,
  isDefaultProviderDenied,
} from './denied-providers.ts'
import { registerResource } from '../registration/register-resource.ts'
import { emptyGoal, type Goal, type Registration } from '../registration/goal.ts'

/**
 * The default providers of a deployment, one per package, version and download address. Each is
 * registered on demand.
 */
export interface DefaultProviders {
  /** Returns the reference of the default provider. Concurrent requests share one registration. */
  readonly resolveReference: (request: PackageRequest) => Promise<Result<ProviderReference>>
}

/**
 * Creates the default providers of a deployment. Source: docs/spec/providers.md#default-providers,
 * docs/spec/provider-protocol.md#default-providers.
 */
export function createDefaultProviders(
  ctx: GeneratorContext,
  config: ReadonlyMap<string, ConfigValue>,
  defaultPackages: ReadonlyMap<string, PackageRequest>,
): DefaultProviders {
  const references = new Map<string, Promise<Result<ProviderReference>>>()
  const register = async (request: PackageRequest): Promise<Result<ProviderReference>> => {
    const providerResult = await registerResource(ctx, createDefaultGoal(request, config))
    if (providerResult.kind === 'failed') return providerResult
    const { urn, id } = providerResult.value.state
    return toDecided(providerReferenceOf(urn, id))
  }
  return {
    async resolveReference(partialRequest) {
      const request = completeRequest(partialRequest, defaultPackages.get(partialRequest.pkg))
      const denialResult = isPackageDenied(config, request.pkg)
      if (denialResult.kind === 'failed') return finishStage(ctx, denialResult)
      if (denialResult.value) return toDecided(createDeniedReference(request.pkg))
      const key = `${request.pkg}-${packageVersionOf(request)}-${request.downloadUrl}`
      const referenceResult = references.get(key) ?? register(request)
      references.set(key, referenceResult)
      return referenceResult
    },
  }
}

/** Returns the request with each missing part filled in from the default plugin of the package. */
function completeRequest(
  partialRequest: PackageRequest,
  defaultRequest: PackageRequest | undefined,
): PackageRequest {
  const parameters = partialRequest.parameters ?? defaultRequest?.parameters
  return {
    pkg: partialRequest.pkg,
    version: partialRequest.version || (defaultRequest?.version ?? ''),
    downloadUrl: (partialRequest.downloadUrl || (defaultRequest?.downloadUrl ?? '')).replace(
      /\/+$/,
      '',
    ),
    checksums:
      partialRequest.checksums.size > 0
        ? partialRequest.checksums
        : (defaultRequest?.checksums ?? partialRequest.checksums),
    ...(parameters === undefined ? {} : { parameters }),
  }
}

function isPackageDenied(config: ReadonlyMap<string, ConfigValue>, pkg: string): Result<boolean> {
  try {
    return toDecided(isDefaultProviderDenied(config, pkg))
  } catch (thrown) {
    return failDeployment(messageOf(thrown))
  }
}

function createDefaultGoal(
  request: PackageRequest,
  config: ReadonlyMap<string, ConfigValue>,
): Goal {
  const inputs = withPlugin(configInputsOf(request.pkg, config), request)
  return { ...emptyGoal, type: providerTypeOf(request.pkg), name: defaultNameOf(request), inputs }
}

/**
 * Returns the stack's configuration of a package as provider inputs: texts, with secrets marked.
 * Dynamic providers get the whole configuration.
 */
export function configInputsOf(pkg: string, config: ReadonlyMap<string, ConfigValue>): PropertyMap {
  const isDynamic = pkg === 'pulumi-nodejs' || pkg === 'pulumi-python'
  const inputs = new Map<string, PropertyValue>()
  for (const [key, { text, isSecret }] of config) {
    const [namespace = '', name = ''] = key.split(':')
    if (!isDynamic && namespace !== pkg) continue
    inputs.set(isDynamic ? key : name, isSecret ? secretOf(text) : text)
  }
  return inputs
}

/**
 * Converts a registration with inherited options to a goal. Resolves its provider, and adds the
 * plugin to the inputs of a provider resource. Throws for an invalid provider reference: the
 * program gets this error and may continue. Source: docs/spec/monitor.md#registerresource steps
 * 10-14.
 */
export async function resolveProvider(
  ctx: GeneratorContext,
  registration: Registration,
  defaultProviders: DefaultProviders,
  defaultPackages: ReadonlyMap<string, PackageRequest>,
): Promise<Result<Goal>> {
  const {
    plugin,
    hasPackageRef: _hasPackageRef,
    envVarMappings: _envVarMappings,
    providers: _providers,
    ...goalFields
  } = registration
  if (!goalFields.custom) return toDecided({ ...goalFields, provider: '' })
  if (isProviderType(goalFields.type))
    return toDecided({
      ...goalFields,
      provider: '',
      inputs: explicitInputsOf(registration, defaultPackages),
    })
  const referenceResult =
    goalFields.provider === ''
      ? await defaultProviders.resolveReference(plugin)
      : toDecided(requireReference(goalFields.provider))
  if (referenceResult.kind === 'failed') return referenceResult
  const provider = referenceResult.value
  const { extension } = plugin
  if (extension === undefined || deniedPackageOf(provider) !== undefined)
    return toDecided({ ...goalFields, provider })
  registerExtension(ctx, extension)
  return toDecided({ ...goalFields, provider, extensionRef: extension.ref })
}

/** Registers an extension with the providers of this process, and records it for executors. */
export function registerExtension(
  ctx: GeneratorContext,
  extension: NonNullable<PackageRequest['extension']>,
): void {
  ctx.ports.providers.registerExtension(extension.ref, extension)
  ctx.ports.runner.recordExtension(extension)
}

/**
 * Registers the extension that a call needs, and returns its reference, or '' if there is none. The
 * extension is not recorded, because only the generator itself calls the provider.
 */
export function registerCallExtension(
  ctx: GeneratorContext,
  { extension }: PackageRequest,
): string {
  if (extension === undefined) return ''
  ctx.ports.providers.registerExtension(extension.ref, extension)
  return extension.ref
}

/**
 * Returns the inputs of a provider resource that the program registers, with its plugin. Version
 * and download address come from the default plugin of the package. If the registration has a
 * version or an address and no registered package, both come from the registration. As in Pulumi,
 * the input `version` of a parameterized provider is the version of the plugin, not of the package.
 */
function explicitInputsOf(
  { type, inputs, plugin, hasPackageRef, envVarMappings }: Registration,
  defaultPackages: ReadonlyMap<string, PackageRequest>,
): PropertyMap {
  const inputsWithMappings =
    envVarMappings.size === 0
      ? inputs
      : withEngineValues(inputs, [['envVarMappings', new Map(envVarMappings)]])
  // Only a registered package has checksums.
  const ownPlugin = hasPackageRef ? plugin : { ...plugin, checksums: new Map<string, string>() }
  const inputsWithPlugin = withPlugin(inputsWithMappings, ownPlugin)
  if (!hasPackageRef && (plugin.version !== '' || plugin.downloadUrl !== ''))
    return inputsWithPlugin
  const defaultRequest = defaultPackages.get(packageOf(type))
  if (defaultRequest === undefined) return inputsWithPlugin
  const { pkg, version, downloadUrl } = defaultRequest
  return withPlugin(inputsWithPlugin, { pkg, version, downloadUrl, checksums: new Map() })
}

/**
 * Returns the reference. Throws when the text is not a provider reference. The program gets this
 * error and may continue.
 */
function requireReference(reference: string): string {
  try {
    parseProviderReference(reference)
    return reference
  } catch (cause) {
    throw new Error(`could not parse provider reference: ${messageOf(cause)}`, { cause })
  }
}

/**
 * Returns the explicit or inherited provider of a registration, or ''. The provider of the parent
 * is inherited first, if it serves the same package. Then come the `providers` of the registration,
 * and last those of the parent component.
 */
export function findExplicitProvider(
  { sets }: Pick<DecisionInput, 'sets'>,
  registration: Pick<Registration, 'provider' | 'providers' | 'parent' | 'type'>,
): string {
  if (registration.provider !== '') return registration.provider
  const { parent, providers } = registration
  const pkg = packageOf(registration.type)
  const parentProvider = parent === '' ? '' : (sets.goals.get(parent)?.provider ?? '')
  const isSamePackage =
    parentProvider !== '' && packageOf(typeOf(parseProviderReference(parentProvider).urn)) === pkg
  if (isSamePackage) return parentProvider
  return (
    providers.get(pkg) ??
    (parent === '' ? undefined : sets.componentProviders.get(parent)?.get(pkg)) ??
    ''
  )
}
