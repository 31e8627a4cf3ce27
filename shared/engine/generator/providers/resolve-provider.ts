import {
  isProviderType,
  packageOf,
  parseReference,
  providerTypeOf,
  type ProviderReference,
  referenceOf,
} from '../../../names/provider-reference.ts'
import { messageOf } from '../../../errors/error.ts'
import { typeOf } from '../../../names/urn.ts'
import { type PackageRequest, packageVersionOf } from '../../../providers/package-request.ts'
import { withInternal, withPlugin } from '../../../providers/provider-inputs.ts'
import type { PropertyMap, PropertyValue } from '../../../values/value.ts'
import { secretOf } from '../../../values/value.ts'
import type { ConfigValue } from '../../request.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { finishStage } from '../finish-stage.ts'
import { decided, failDeployment, type Result } from '../stage.ts'
import { defaultNameOf } from './default-packages.ts'
import { deniedPackageOf, createDeniedReference, isDenied } from './denied-providers.ts'
import { registerResource } from '../registration/register-resource.ts'
import { emptyGoal, type Goal, type Registration } from '../registration/goal.ts'

/** The default providers of a deployment: one per package, version and address, on demand. */
export interface DefaultProviders {
  /** The reference of the default provider; concurrent requests share one registration. */
  readonly resolveReference: (request: PackageRequest) => Promise<Result<ProviderReference>>
}

/**
 * Creates the default providers of a deployment. Source: docs/spec/providers.md#default-providers,
 * docs/spec/provider-protocol.md#default-providers.
 */
export function createDefaultProviders(
  ctx: GeneratorContext,
  config: ReadonlyMap<string, ConfigValue>,
  required: ReadonlyMap<string, PackageRequest>,
): DefaultProviders {
  const references = new Map<string, Promise<Result<ProviderReference>>>()
  const register = async (request: PackageRequest): Promise<Result<ProviderReference>> => {
    const registered = await registerResource(ctx, createDefaultGoal(request, config))
    if (registered.kind === 'failed') return registered
    const { urn, id } = registered.value.state
    return decided(referenceOf(urn, id))
  }
  return {
    async resolveReference(partial) {
      const request = completeRequest(partial, required.get(partial.pkg))
      const denied = isPackageDenied(config, request.pkg)
      if (denied.kind === 'failed') return finishStage(ctx, denied)
      if (denied.value) return decided(createDeniedReference(request.pkg))
      const key = `${request.pkg}-${packageVersionOf(request)}-${request.downloadUrl}`
      const made = references.get(key) ?? register(request)
      references.set(key, made)
      return made
    },
  }
}

/** Returns the request with each missing part taken from the table, independent of the others. */
function completeRequest(
  partial: PackageRequest,
  table: PackageRequest | undefined,
): PackageRequest {
  const parameters = partial.parameters ?? table?.parameters
  return {
    pkg: partial.pkg,
    version: partial.version || (table?.version ?? ''),
    downloadUrl: (partial.downloadUrl || (table?.downloadUrl ?? '')).replace(/\/+$/, ''),
    checksums:
      partial.checksums.size > 0 ? partial.checksums : (table?.checksums ?? partial.checksums),
    ...(parameters === undefined ? {} : { parameters }),
  }
}

function isPackageDenied(config: ReadonlyMap<string, ConfigValue>, pkg: string): Result<boolean> {
  try {
    return decided(isDenied(config, pkg))
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
  const all = pkg === 'pulumi-nodejs' || pkg === 'pulumi-python'
  const inputs = new Map<string, PropertyValue>()
  for (const [key, { text, secret }] of config) {
    const [namespace = '', name = ''] = key.split(':')
    if (!all && namespace !== pkg) continue
    inputs.set(all ? key : name, secret ? secretOf(text) : text)
  }
  return inputs
}

/**
 * Returns a registration with inherited options as a goal: its provider is resolved, and the inputs
 * of a provider resource name its plugin. Throws for an invalid provider reference: only the
 * program gets this error. Source: docs/spec/monitor.md#resourcemonitor steps 10-14.
 */
export async function resolveProvider(
  ctx: GeneratorContext,
  registration: Registration,
  defaults: DefaultProviders,
  required: ReadonlyMap<string, PackageRequest>,
): Promise<Result<Goal>> {
  const {
    plugin,
    isPackage: _is,
    envVarMappings: _env,
    providers: _providers,
    ...rest
  } = registration
  if (!rest.custom) return decided({ ...rest, provider: '' })
  if (isProviderType(rest.type))
    return decided({ ...rest, provider: '', inputs: explicitInputsOf(registration, required) })
  const resolved =
    rest.provider === ''
      ? await defaults.resolveReference(plugin)
      : decided(requireReference(rest.provider))
  if (resolved.kind === 'failed') return resolved
  const provider = resolved.value
  const { extension } = plugin
  if (extension === undefined || deniedPackageOf(provider) !== undefined)
    return decided({ ...rest, provider })
  registerExtension(ctx, extension)
  return decided({ ...rest, provider, extensionRef: extension.ref })
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
 * Registers the extension that a call needs, and returns its reference; '' = none. It is not
 * recorded: the generator itself calls the provider and records the answer.
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
 * Returns the inputs of a provider that the program registers, with its plugin. The program or its
 * package names the plugin. Without a version or address of its own, it is the plugin in the table,
 * even for a package. So the version of a parameterized provider becomes that of its plugin, as in
 * Pulumi.
 */
function explicitInputsOf(
  { type, inputs, plugin, isPackage, envVarMappings }: Registration,
  required: ReadonlyMap<string, PackageRequest>,
): PropertyMap {
  const mapped =
    envVarMappings.size === 0
      ? inputs
      : withInternal(inputs, [['envVarMappings', new Map(envVarMappings)]])
  // Checksums come with a package only.
  const own = isPackage ? plugin : { ...plugin, checksums: new Map<string, string>() }
  const written = withPlugin(mapped, own)
  if (!isPackage && (plugin.version !== '' || plugin.downloadUrl !== '')) return written
  const table = required.get(packageOf(type))
  if (table === undefined) return written
  const { pkg, version, downloadUrl } = table
  return withPlugin(written, { pkg, version, downloadUrl, checksums: new Map() })
}

/** Throws when the text is no provider reference: the program gets the error and may continue. */
function requireReference(reference: string): string {
  try {
    parseReference(reference)
    return reference
  } catch (cause) {
    throw new Error(`could not parse provider reference: ${messageOf(cause)}`, { cause })
  }
}

/**
 * Returns the provider that a registration names or inherits, '' when there is none. The provider
 * of a parent of the same package comes before the registration's own `providers`, and those come
 * before the providers of the component above.
 */
export function findExplicitProvider(
  { sets }: Pick<DecisionInput, 'sets'>,
  registration: Pick<Registration, 'provider' | 'providers' | 'parent' | 'type'>,
): string {
  if (registration.provider !== '') return registration.provider
  const { parent, providers } = registration
  const pkg = packageOf(registration.type)
  const above = parent === '' ? '' : (sets.goals.get(parent)?.provider ?? '')
  const isSamePackage = above !== '' && packageOf(typeOf(parseReference(above).urn)) === pkg
  if (isSamePackage) return above
  return (
    providers.get(pkg) ??
    (parent === '' ? undefined : sets.componentProviders.get(parent)?.get(pkg)) ??
    ''
  )
}
