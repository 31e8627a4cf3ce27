import { providerTypeOf, isProviderType, packageOf } from '../../../names/provider-reference.ts'
import { childUrnOf, urnPartsOf, stackType, typeOf, type Urn } from '../../../names/urn.ts'
import type { ImportedResource } from '../../../records/imported-resource.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { defaultNameOf } from '../providers/default-packages.ts'
import { type PackageRequest, packageVersionOf } from '../../../providers/package-request.ts'

/** The data that an import is planned from. */
export interface ImportInput {
  readonly stack: string
  readonly project: string
  /** Returns the live state of a URN, which is not marked for deletion. Undefined without one. */
  readonly liveStateOf: (urn: Urn) => ResourceState | undefined
  /** Package → plugin of its default provider, from `chooseDefaultPackages`. */
  readonly defaultPackages: ReadonlyMap<string, PackageRequest>
}

/**
 * A resource to import, with its URN, parent and provider. `refusal`: the reason why it cannot be
 * imported. Undefined if it can be imported.
 */
export interface PlannedImport {
  readonly resource: ImportedResource
  readonly urn: Urn
  readonly parent: Urn
  /** The URN of the provider of the resource. '' for a local component. */
  readonly provider: Urn | ''
  readonly refusal: string | undefined
}

/** A provider that the state lacks and that the import creates first. */
export interface NeededProvider {
  readonly urn: Urn
  readonly parent: Urn | ''
  readonly plugin: PackageRequest
  /** `config`: the inputs come from the configuration of the stack. */
  readonly inputs: 'config' | ImportedResource['inputs']
}

/** Returns the first error in the requested imports. Returns undefined if they are valid. */
export function findImportError(
  requestedImports: readonly ImportedResource[],
  input: ImportInput,
): string | undefined {
  const importUrns = new Set<Urn>()
  for (const resource of requestedImports) {
    if (resource.component !== 'local' && resource.type.split(':').length !== 3)
      return (
        `import type ${JSON.stringify(resource.type)} is not a valid resource type token. ` +
        'Type tokens must be of the format <package>:<module>:<type> - ' +
        'refer to the import section of the provider resource documentation.'
      )
    if (isVersionMissing(resource, input))
      return `import '${resource.name}': version must be provided`
    if (resource.provider !== '' && !isProviderType(typeOf(resource.provider)))
      return `imported provider URN ${JSON.stringify(resource.provider)} is not a provider type`
    if (isProviderType(resource.type)) continue
    const urn = importUrnOf(resource, input, resource.parent === '' ? undefined : resource.parent)
    if (importUrns.has(urn)) return `duplicate import '${resource.name}' of type '${resource.type}'`
    importUrns.add(urn)
  }
  return undefined
}

/**
 * Returns the providers that are missing in the state: first default providers, then named ones,
 * each sorted by URN. The inputs of default providers come from the configuration of the stack,
 * those of named providers from the import file. Source: docs/spec/deployment.md#import-deployment.
 */
export function findNeededProviders(
  requestedImports: readonly ImportedResource[],
  input: ImportInput,
): readonly NeededProvider[] {
  const defaultProviders = new Map<Urn, NeededProvider>()
  const namedProviders = new Map<Urn, NeededProvider>()
  for (const resource of requestedImports) {
    if (!isProviderType(resource.type)) continue
    const urn = importUrnOf(resource, input, resource.parent === '' ? undefined : resource.parent)
    const plugin = { ...toPluginRequest(resource), pkg: packageOf(resource.type) }
    if (!namedProviders.has(urn))
      namedProviders.set(urn, { urn, parent: resource.parent, plugin, inputs: resource.inputs })
  }
  for (const resource of requestedImports) {
    if (resource.component === 'local' || isProviderType(resource.type)) continue
    const urn = importProviderUrnOf(resource, input)
    if (resource.provider === '')
      defaultProviders.set(urn, {
        urn,
        parent: '',
        plugin: toDefaultPluginRequest(resource, input),
        inputs: 'config',
      })
    else if (!namedProviders.has(urn)) {
      const plugin = { ...toPluginRequest(resource), pkg: packageOf(typeOf(urn)) }
      namedProviders.set(urn, { urn, parent: '', plugin, inputs: resource.providerInputs })
    }
  }
  const isMissing = ({ urn }: NeededProvider): boolean => input.liveStateOf(urn) === undefined
  const sortByUrn = (map: ReadonlyMap<Urn, NeededProvider>): readonly NeededProvider[] =>
    [...map.values()].filter(isMissing).sort((a, b) => (a.urn < b.urn ? -1 : 1))
  return [...sortByUrn(defaultProviders), ...sortByUrn(namedProviders)]
}

/**
 * Returns the imports of resources other than providers, each after its parent. A resource that the
 * state already has under the same id is omitted. A resource is refused if the state has it under
 * another id, or if its parent is unknown. `stackUrn`: the parent of imports without a parent.
 */
export function planImports(
  requestedImports: readonly ImportedResource[],
  input: ImportInput,
  stackUrn: Urn,
): readonly PlannedImport[] {
  const pendingImports = requestedImports.flatMap((resource): readonly PlannedImport[] => {
    if (isProviderType(resource.type)) return []
    const parent = resource.parent === '' ? stackUrn : resource.parent
    const urn = importUrnOf(resource, input, parent)
    const old = input.liveStateOf(urn)
    if (old !== undefined && (old.importID === '' ? old.id : old.importID) === resource.id)
      return []
    const provider = resource.component === 'local' ? '' : importProviderUrnOf(resource, input)
    const refusal = old === undefined ? undefined : `resource '${urn}' already exists`
    return [{ resource, urn, parent, provider, refusal }]
  })
  return orderByParent(pendingImports, requestedImports, input)
}

/** Orders imports with parents first, and refuses those with an unknown parent. */
function orderByParent(
  pendingImports: readonly PlannedImport[],
  requestedImports: readonly ImportedResource[],
  input: ImportInput,
): readonly PlannedImport[] {
  const neededProviderUrns = new Set(
    findNeededProviders(requestedImports, input).map(({ urn }) => urn),
  )
  const importedUrns = new Set(pendingImports.map(({ urn }) => urn))
  const children = new Map<Urn, PlannedImport[]>()
  const orderedImports: PlannedImport[] = []
  for (const plannedImport of pendingImports) {
    if (!importedUrns.has(plannedImport.parent)) {
      const isKnown =
        urnPartsOf(plannedImport.parent).qualifiedType === stackType ||
        input.liveStateOf(plannedImport.parent) !== undefined ||
        neededProviderUrns.has(plannedImport.parent)
      const unknownParentMessage = `unknown parent '${plannedImport.parent}' for resource '${plannedImport.urn}'`
      orderedImports.push(
        isKnown
          ? plannedImport
          : { ...plannedImport, refusal: plannedImport.refusal ?? unknownParentMessage },
      )
    } else
      children.set(plannedImport.parent, [
        ...(children.get(plannedImport.parent) ?? []),
        plannedImport,
      ])
  }
  for (let index = 0; index < orderedImports.length; index += 1) {
    const next = orderedImports[index]
    if (next !== undefined) orderedImports.push(...(children.get(next.urn) ?? []))
  }
  return orderedImports
}

/** Returns the provider of an import: the named one, or the default one of its package. */
function importProviderUrnOf(resource: ImportedResource, input: ImportInput): Urn {
  if (resource.provider !== '') return resource.provider
  const request = toDefaultPluginRequest(resource, input)
  return childUrnOf(input, undefined, {
    type: providerTypeOf(request.pkg),
    name: defaultNameOf(request),
  })
}

/**
 * Returns the plugin of the default provider of an import. `defaultPackages` supplies the missing
 * parts.
 */
function toDefaultPluginRequest(
  resource: ImportedResource,
  { defaultPackages }: ImportInput,
): PackageRequest {
  const defaultPackage = defaultPackages.get(packageOf(resource.type))
  const ownPlugin = toPluginRequest(resource)
  const pluginFields = {
    ...ownPlugin,
    downloadUrl: ownPlugin.downloadUrl || (defaultPackage?.downloadUrl ?? ''),
    checksums: defaultPackage?.checksums ?? ownPlugin.checksums,
  }
  const parameters = ownPlugin.parameters ?? defaultPackage?.parameters
  if (parameters === undefined)
    return { ...pluginFields, version: ownPlugin.version || (defaultPackage?.version ?? '') }
  const packageVersion = defaultPackage === undefined ? '' : packageVersionOf(defaultPackage)
  return {
    ...pluginFields,
    // The plugin's version comes from the same source as its parameters.
    version:
      ownPlugin.parameters === undefined ? (defaultPackage?.version ?? '') : ownPlugin.version,
    parameters: { ...parameters, version: resource.version || packageVersion },
  }
}

function toPluginRequest(resource: ImportedResource): PackageRequest {
  const { type, version, pluginDownloadUrl: downloadUrl, parameterization } = resource
  const pluginFields = { pkg: packageOf(type), downloadUrl, checksums: new Map<string, string>() }
  if (parameterization === undefined) return { ...pluginFields, version }
  const { pluginName: plugin, pluginVersion, value } = parameterization
  return { ...pluginFields, version: pluginVersion, parameters: { plugin, version, value } }
}

/** Reports whether the version of a parameterized package is missing. */
function isVersionMissing(resource: ImportedResource, input: ImportInput): boolean {
  if (resource.component === 'local') return false
  if (resource.provider !== '' && input.liveStateOf(resource.provider) !== undefined) return false
  const isDefault = resource.provider === '' && !isProviderType(resource.type)
  return (
    (isDefault ? toDefaultPluginRequest(resource, input) : toPluginRequest(resource)).parameters
      ?.version === ''
  )
}

function importUrnOf(resource: ImportedResource, input: ImportInput, parent: Urn | undefined): Urn {
  const parentType = parent === undefined ? undefined : urnPartsOf(parent).qualifiedType
  return childUrnOf(input, parentType, resource)
}
