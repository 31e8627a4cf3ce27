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
import type { GeneratorContext } from '../context.ts'
import { bail } from '../context.ts'
import { defaultNameOf } from './default-packages.ts'
import { deniedPackageOf, createDeniedReference, isDenied } from './denied-providers.ts'
import { generate } from '../generate.ts'
import { emptyGoal, type Goal, type Registration } from '../registration/goal.ts'

/** Default providers, made on demand, one per package, version and address. */
export interface DefaultProviders {
  /** The reference of the default provider; concurrent requests share one registration. */
  readonly resolveReference: (request: PackageRequest) => Promise<ProviderReference>
}

/**
 * Makes the default providers of a deployment. Source: docs/spec/providers.md#default-providers,
 * docs/spec/provider-protocol.md#default-providers.
 */
export function createDefaultProviders(
  ctx: GeneratorContext,
  config: ReadonlyMap<string, ConfigValue>,
  required: ReadonlyMap<string, PackageRequest>,
): DefaultProviders {
  const references = new Map<string, Promise<ProviderReference>>()
  const register = async (request: PackageRequest): Promise<ProviderReference> => {
    const current = await generate(ctx, createDefaultGoal(request, config))
    return referenceOf(current.state.urn, current.state.id)
  }
  return {
    resolveReference(partial) {
      const request = completeRequest(partial, required.get(partial.pkg))
      if (isPackageDenied(ctx, config, request.pkg))
        return Promise.resolve(createDeniedReference(request.pkg))
      const key = `${request.pkg}-${packageVersionOf(request)}-${request.downloadUrl}`
      const made = references.get(key) ?? register(request)
      references.set(key, made)
      return made
    },
  }
}

/** The request with each piece that it lacks taken from the table, whatever the others are. */
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

function isPackageDenied(
  ctx: GeneratorContext,
  config: ReadonlyMap<string, ConfigValue>,
  pkg: string,
): boolean {
  try {
    return isDenied(config, pkg)
  } catch (thrown) {
    return bail(ctx, messageOf(thrown))
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
 * The stack's configuration of a package as provider inputs: texts, secrets marked. Dynamic
 * providers get everything.
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
 * The registration, which has what it inherits, as a goal: its provider resolved, plugin facts
 * written into a provider's inputs.
 * Source: docs/spec/monitor.md#resourcemonitor steps 10-14.
 */
export async function resolveProvider(
  ctx: GeneratorContext,
  registration: Registration,
  defaults: DefaultProviders,
  required: ReadonlyMap<string, PackageRequest>,
): Promise<Goal> {
  const {
    plugin,
    isPackage: _is,
    envVarMappings: _env,
    providers: _providers,
    ...rest
  } = registration
  if (!rest.custom) return { ...rest, provider: '' }
  if (isProviderType(rest.type))
    return { ...rest, provider: '', inputs: explicitInputsOf(registration, required) }
  const provider =
    rest.provider === '' ? await defaults.resolveReference(plugin) : requireReference(rest.provider)
  const { extension } = plugin
  if (extension === undefined || deniedPackageOf(provider) !== undefined)
    return { ...rest, provider }
  registerExtension(ctx, extension)
  return { ...rest, provider, extensionRef: extension.ref }
}

/** Makes an extension known, also to whoever carries out what needs it. */
export function registerExtension(
  ctx: GeneratorContext,
  extension: NonNullable<PackageRequest['extension']>,
): void {
  ctx.providers.registerExtension(extension.ref, extension)
  ctx.runner.recordExtension(extension)
}

/**
 * What the provider of a function must be extended by, made known; '' = nothing. The call is made
 * here, and its answer recorded, so nobody else needs to know.
 */
export function registerCallExtension(
  ctx: GeneratorContext,
  { extension }: PackageRequest,
): string {
  if (extension === undefined) return ''
  ctx.providers.registerExtension(extension.ref, extension)
  return extension.ref
}

/**
 * The inputs of a provider that the program registers: what it says of the plugin; what its package
 * says; and without a version or address of its own those of the table, even beside a package. So
 * the version of a provider with parameters becomes that of its plugin, as in Pulumi.
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

/** Throws for what is no reference: the program hears of it, and may go on. */
function requireReference(reference: string): string {
  try {
    parseReference(reference)
    return reference
  } catch (cause) {
    throw new Error(`could not parse provider reference: ${messageOf(cause)}`, { cause })
  }
}

/**
 * The provider that a registration names or gets from above, '' when none: the one of a parent that
 * is a resource of the same package goes before the registration's own `providers`, and those go
 * before the providers of the component above.
 */
export function findExplicitProvider(
  ctx: GeneratorContext,
  registration: Pick<Registration, 'provider' | 'providers' | 'parent' | 'type'>,
): string {
  if (registration.provider !== '') return registration.provider
  const { parent, providers } = registration
  const pkg = packageOf(registration.type)
  const above = parent === '' ? '' : (ctx.sets.goals.get(parent)?.provider ?? '')
  const isSamePackage = above !== '' && packageOf(typeOf(parseReference(above).urn)) === pkg
  if (isSamePackage) return above
  return (
    providers.get(pkg) ??
    (parent === '' ? undefined : ctx.sets.componentProviders.get(parent)?.get(pkg)) ??
    ''
  )
}
