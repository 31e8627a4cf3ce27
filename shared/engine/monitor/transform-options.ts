import type { Alias } from '../../../proto/gen/pulumi/alias.ts'
import type {
  RegisterResourceRequest,
  TransformResourceOptions,
} from '../../../proto/gen/pulumi/resource.ts'
import type { Urn } from '../../names/urn.ts'
import type { PropertyMap, PropertyValue } from '../../values/value.ts'
import { isSpecial } from '../../values/value.ts'
import { dependenciesOf } from '../../values/special-values.ts'

/** The options that a registration has or inherits from its parent, in wire form. */
export interface InheritedOptions {
  readonly protect: boolean | undefined
  readonly retainOnDelete: boolean | undefined
  readonly deletedWith: string
  readonly provider: string
}

/**
 * Returns the options of a registration for transforms. Source:
 * docs/spec/monitor.md#callbacks-service.
 */
export function transformOptionsOf(
  request: RegisterResourceRequest,
  inherited: InheritedOptions,
): TransformResourceOptions {
  return {
    dependsOn: request.dependencies,
    protect: inherited.protect,
    ignoreChanges: request.ignoreChanges,
    replaceOnChanges: request.replaceOnChanges,
    version: request.version,
    aliases: aliasesOf(request),
    provider: inherited.provider,
    customTimeouts: request.customTimeouts,
    pluginDownloadUrl: request.pluginDownloadURL,
    retainOnDelete: inherited.retainOnDelete,
    deletedWith: inherited.deletedWith,
    deleteBeforeReplace:
      request.deleteBeforeReplaceDefined || request.deleteBeforeReplace
        ? request.deleteBeforeReplace
        : undefined,
    additionalSecretOutputs: request.additionalSecretOutputs,
    providers: request.providers,
    pluginChecksums: request.pluginChecksums,
    hooks: request.hooks,
    import: request.importId,
    hideDiff: request.hideDiffs,
    replaceWith: request.replaceWith,
    replacementTrigger: request.replacementTrigger,
  }
}

/**
 * Returns a registration with the transformed options except `dependsOn`, see `applyDependencies`.
 */
export function applyOptions(
  request: RegisterResourceRequest,
  options: TransformResourceOptions,
): RegisterResourceRequest {
  return {
    ...request,
    protect: options.protect,
    ignoreChanges: options.ignoreChanges,
    replaceOnChanges: options.replaceOnChanges,
    version: options.version,
    aliasURNs: [],
    aliases: options.aliases,
    aliasSpecs: true,
    provider: options.provider,
    customTimeouts: options.customTimeouts,
    pluginDownloadURL: options.pluginDownloadUrl,
    retainOnDelete: options.retainOnDelete,
    deletedWith: options.deletedWith,
    deleteBeforeReplace: options.deleteBeforeReplace ?? false,
    deleteBeforeReplaceDefined: options.deleteBeforeReplace !== undefined,
    additionalSecretOutputs: options.additionalSecretOutputs,
    providers: options.providers,
    pluginChecksums: options.pluginChecksums,
    hooks: options.hooks,
    importId: options.import,
    hideDiffs: options.hideDiff,
    replaceWith: options.replaceWith,
    replacementTrigger: options.replacementTrigger,
  }
}

/**
 * Returns a registration with its dependencies after transforms. As in Pulumi, `dependsOn` of the
 * transformed options is used only if the registration has transforms of its own. Otherwise the
 * changes of `dependsOn` by transforms of a parent or the stack are ignored. Source:
 * docs/spec/monitor.md#registerresource step 11.
 */
export function applyDependencies(
  request: RegisterResourceRequest,
  input: {
    /** The properties before the transforms. */
    readonly sentProperties: PropertyMap
    /** The properties after the transforms. */
    readonly properties: PropertyMap
    readonly options: TransformResourceOptions
    readonly hasOwnTransforms: boolean
  },
): RegisterResourceRequest {
  const { sentProperties, properties, options, hasOwnTransforms } = input
  if (!hasOwnTransforms)
    return {
      ...request,
      propertyDependencies: toWireDependencies(declaredDependenciesOf(request, sentProperties)),
    }
  const urnsByKey = new Map(
    [...properties].map(([key, value]) => [key, new Set<string>(dependenciesOf(value))]),
  )
  const allUrns = new Set(options.dependsOn)
  for (const urns of urnsByKey.values()) for (const urn of urns) allUrns.add(urn)
  return {
    ...request,
    dependencies: [...allUrns],
    propertyDependencies: toWireDependencies(urnsByKey),
  }
}

/**
 * Returns the dependencies of each property as in the request. If the request lists none and is not
 * remote, each property depends on all dependencies of the resource.
 */
export function declaredDependenciesOf(
  request: RegisterResourceRequest,
  properties: PropertyMap,
): Map<string, Set<string>> {
  const { propertyDependencies, dependencies, remote } = request
  if (propertyDependencies.size > 0 || remote)
    return new Map([...propertyDependencies].map(([key, { urns }]) => [key, new Set(urns)]))
  return new Map([...properties.keys()].map(key => [key, new Set(dependencies)]))
}

/** Returns each property as an output value with its dependencies, unless it has them already. */
export function attachDependencies(
  properties: PropertyMap,
  dependencies: ReadonlyMap<string, ReadonlySet<string>>,
): PropertyMap {
  return new Map(
    [...properties].map(([key, value]) => [key, attachToValue(value, dependencies.get(key))]),
  )
}

function attachToValue(value: PropertyValue, urns: ReadonlySet<string> | undefined): PropertyValue {
  const ownUrns = new Set<string>(dependenciesOf(value))
  if (urns === undefined || [...urns].every(urn => ownUrns.has(urn))) return value
  const output =
    isSpecial(value) && value.kind === 'output'
      ? value
      : { kind: 'output' as const, value, secret: false, dependencies: [] }
  const allUrns = new Set<string>([...output.dependencies, ...urns])
  return { ...output, dependencies: [...allUrns] as Urn[] }
}

function toWireDependencies(
  dependencies: ReadonlyMap<string, ReadonlySet<string>>,
): RegisterResourceRequest['propertyDependencies'] {
  return new Map([...dependencies].map(([key, urns]) => [key, { urns: [...urns] }]))
}

/** Returns all aliases in one list. */
function aliasesOf(request: RegisterResourceRequest): Alias[] {
  const urns = request.aliasURNs.map((value): Alias => ({ alias: { $case: 'urn', value } }))
  return [...urns, ...request.aliases]
}
