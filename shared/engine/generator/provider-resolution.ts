import {
  isProviderType,
  packageOf,
  providerTypeOf,
  type ProviderReference,
  referenceOf,
} from '../../names/provider-reference.ts'
import { stackType, typeOf, type Urn } from '../../names/urn.ts'
import { internalKey } from '../../providers/registry.ts'
import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import { secretOf } from '../../values/value.ts'
import type { ConfigValue } from '../request.ts'
import type { GeneratorContext } from './context.ts'
import { bail } from './context.ts'
import { defaultNameOf } from './default-packages.ts'
import { generate } from './generate.ts'
import type { Goal, PackageRequest, Registration } from './goal.ts'

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
  return {
    type: providerTypeOf(request.pkg),
    name: defaultNameOf(request),
    custom: true,
    parent: '',
    inputs: withPluginInputs(configInputs(request.pkg, config), request),
    protect: undefined,
    retainOnDelete: undefined,
    deletedWith: '',
    dependencies: [],
    propertyDependencies: new Map(),
    provider: '',
    deleteBeforeReplace: undefined,
    ignoreChanges: [],
    replaceOnChanges: [],
    additionalSecretOutputs: [],
    hideDiff: [],
    aliases: [],
    customTimeouts: {},
    replaceWith: [],
    replacementTrigger: null,
    resourceHooks: new Map(),
    sourcePosition: '',
    stackTrace: [],
  }
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
function withPluginInputs(inputs: PropertyMap, request: PackageRequest): PropertyMap {
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

/** The provider that a registration names or its parents hand down, '' when none. */
export function explicitProvider(
  ctx: GeneratorContext,
  registration: Pick<Registration, 'provider' | 'providers' | 'parent' | 'type'>,
): string {
  if (registration.provider !== '') return registration.provider
  const pkg = packageOf(registration.type)
  const own = registration.providers.get(pkg)
  if (own !== undefined) return own
  return inheritedProvider(ctx, registration.parent, pkg)
}

/**
 * The provider for a package that the nearest component above has, or the parent's own when of this
 * package.
 */
function inheritedProvider(ctx: GeneratorContext, parent: Urn | '', pkg: string): string {
  if (parent === '' || typeOf(parent) === stackType) return ''
  const above = ctx.sets.goals.get(parent)
  if (above?.custom === true && above.provider !== '' && packageOf(typeOf(parent)) === pkg)
    return above.provider
  const map = ctx.sets.componentProviders.get(parent)?.get(pkg)
  if (map !== undefined) return map
  return ''
}
