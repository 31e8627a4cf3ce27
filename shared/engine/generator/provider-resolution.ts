import {
  isProviderType,
  packageOf,
  parseReference,
  providerTypeOf,
  type ProviderReference,
  referenceOf,
} from '../../names/provider-reference.ts'
import { typeOf } from '../../names/urn.ts'
import { internalKey } from '../../providers/registry.ts'
import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import { secretOf } from '../../values/value.ts'
import type { ConfigValue } from '../request.ts'
import type { GeneratorContext } from './context.ts'
import { bail } from './context.ts'
import { defaultNameOf } from './default-packages.ts'
import { generate } from './generate.ts'
import { emptyGoal, type Goal, type PackageRequest, type Registration } from './goal.ts'

/** Default providers, made on demand, one per package, version and address. */
export interface DefaultProviders {
  /** The reference of the default provider; concurrent requests share one registration. */
  readonly reference: (request: PackageRequest) => Promise<ProviderReference>
}

/** Makes the default providers of a deployment. Source: `engine.md` 4.3, provider-protocol 7.2. */
export function createDefaultProviders(
  ctx: GeneratorContext,
  config: ReadonlyMap<string, ConfigValue>,
  required: ReadonlyMap<string, PackageRequest>,
): DefaultProviders {
  const known = new Map<string, Promise<ProviderReference>>()
  const register = async (request: PackageRequest): Promise<ProviderReference> => {
    const current = await generate(ctx, defaultGoal(request, config))
    return referenceOf(current.state.urn, current.state.id)
  }
  return {
    reference(asked) {
      const table = required.get(asked.pkg)
      const request = {
        ...asked,
        version: asked.version || (table?.version ?? ''),
        downloadUrl: (asked.downloadUrl || (table?.downloadUrl ?? '')).replace(/\/+$/, ''),
        checksums:
          asked.checksums.size > 0 ? asked.checksums : (table?.checksums ?? asked.checksums),
      }
      if (isDenied(config, request.pkg))
        bail(ctx, `Default provider for '${request.pkg}' disabled. It must be given explicitly.`)
      const key = `${request.pkg}-${request.version}-${request.downloadUrl}`
      const made = known.get(key) ?? register(request)
      known.set(key, made)
      return made
    },
  }
}

function isDenied(config: ReadonlyMap<string, ConfigValue>, pkg: string): boolean {
  const text = config.get('pulumi:disable-default-providers')?.text ?? ''
  if (text === '' || pkg === 'pulumi') return false
  const denied: unknown = JSON.parse(text)
  return (
    Array.isArray(denied) &&
    denied.some(name => typeof name === 'string' && ['*', pkg].includes(name.trim()))
  )
}

function defaultGoal(request: PackageRequest, config: ReadonlyMap<string, ConfigValue>): Goal {
  const inputs = withPluginInputs(configInputs(request.pkg, config), request)
  return { ...emptyGoal, type: providerTypeOf(request.pkg), name: defaultNameOf(request), inputs }
}

/**
 * The stack's configuration of a package as provider inputs: texts, secrets marked. Dynamic
 * providers get everything.
 */
export function configInputs(pkg: string, config: ReadonlyMap<string, ConfigValue>): PropertyMap {
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
 * Writes version, address and checksums of the plugin into the inputs of a provider resource.
 * Source: provider-protocol 7.3.
 */
export function withPluginInputs(inputs: PropertyMap, request: PackageRequest): PropertyMap {
  const written = new Map<string, PropertyValue>(inputs)
  const internal = new Map<string, PropertyValue>()
  if (request.downloadUrl !== '') internal.set('pluginDownloadURL', request.downloadUrl)
  if (request.checksums.size > 0) internal.set('pluginChecksums', new Map(request.checksums))
  if (request.version !== '') written.set('version', request.version)
  if (request.version !== '' || internal.size > 0) written.set(internalKey, internal)
  return written
}

/**
 * The registration, which has what it inherits, as a goal: its provider resolved, plugin facts
 * written into a provider's inputs.
 * Source: `engine.md` 2.2 steps 10-14.
 */
export async function resolveProvider(
  registration: Registration,
  defaults: DefaultProviders,
  required: ReadonlyMap<string, PackageRequest>,
): Promise<Goal> {
  const { plugin, providers: _providers, ...rest } = registration
  if (!rest.custom) return { ...rest, provider: '' }
  if (isProviderType(rest.type)) {
    const table =
      plugin.version === '' && plugin.downloadUrl === ''
        ? required.get(packageOf(rest.type))
        : undefined
    return { ...rest, provider: '', inputs: withPluginInputs(rest.inputs, table ?? plugin) }
  }
  return {
    ...rest,
    provider: rest.provider === '' ? await defaults.reference(plugin) : rest.provider,
  }
}

/**
 * The provider that a registration names or gets from above, '' when none: the one of a parent that
 * is a resource of the same package goes before the registration's own `providers`, and those go
 * before the providers of the component above.
 */
export function explicitProvider(
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
