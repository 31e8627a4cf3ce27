import { providerTypeOf, isProviderType, packageOf } from '../../../names/provider-reference.ts'
import { childUrnOf, urnPartsOf, stackType, typeOf, type Urn } from '../../../names/urn.ts'
import type { ImportedResource } from '../../../records/import.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { defaultNameOf } from '../providers/default-packages.ts'
import { type PackageRequest, packageVersionOf } from '../../../providers/package-request.ts'

/** The data that an import is planned from. */
export interface ImportInput {
  readonly stack: string
  readonly project: string
  /** Returns the state of a URN that is not marked for deletion. */
  readonly liveStateOf: (urn: Urn) => ResourceState | undefined
  /** Package → plugin, as the program's dependencies name it. */
  readonly required: ReadonlyMap<string, PackageRequest>
}

/** A resource to import, or the reason of its refusal. */
export interface PlacedImport {
  readonly resource: ImportedResource
  readonly urn: Urn
  readonly parent: Urn
  /** Its provider; '' for a local component. */
  readonly provider: Urn | ''
  readonly refusal: string | undefined
}

/** A provider that the state lacks and that the import creates first. */
export interface NeededProvider {
  readonly urn: Urn
  readonly parent: Urn | ''
  readonly plugin: PackageRequest
  /** `config`: the stack's own configuration of the package. */
  readonly inputs: 'config' | ImportedResource['inputs']
}

/** Returns the first error in the requested imports; undefined when they are valid. */
export function findMistake(
  requested: readonly ImportedResource[],
  input: ImportInput,
): string | undefined {
  const seen = new Set<Urn>()
  for (const one of requested) {
    if (one.component !== 'local' && one.type.split(':').length !== 3)
      return (
        `import type ${JSON.stringify(one.type)} is not a valid resource type token. ` +
        'Type tokens must be of the format <package>:<module>:<type> - ' +
        'refer to the import section of the provider resource documentation.'
      )
    if (isVersionLacking(one, input)) return `import '${one.name}': version must be provided`
    if (one.provider !== '' && !isProviderType(typeOf(one.provider)))
      return `imported provider URN ${JSON.stringify(one.provider)} is not a provider type`
    if (isProviderType(one.type)) continue
    const urn = urnOf(one, input, one.parent === '' ? undefined : one.parent)
    if (seen.has(urn)) return `duplicate import '${one.name}' of type '${one.type}'`
    seen.add(urn)
  }
  return undefined
}

/**
 * Returns the providers that the state lacks: default providers by package and version, then named
 * ones by URN. A declared provider has its own inputs. Source:
 * docs/spec/deployment.md#import-deployment.
 */
export function findNeededProviders(
  requested: readonly ImportedResource[],
  input: ImportInput,
): readonly NeededProvider[] {
  const defaults = new Map<Urn, NeededProvider>()
  const named = new Map<Urn, NeededProvider>()
  for (const one of requested) {
    if (!isProviderType(one.type)) continue
    const urn = urnOf(one, input, one.parent === '' ? undefined : one.parent)
    const plugin = { ...pluginOf(one), pkg: packageOf(one.type) }
    if (!named.has(urn)) named.set(urn, { urn, parent: one.parent, plugin, inputs: one.inputs })
  }
  for (const one of requested) {
    if (one.component === 'local' || isProviderType(one.type)) continue
    const urn = providerOf(one, input)
    if (one.provider === '')
      defaults.set(urn, { urn, parent: '', plugin: requestOf(one, input), inputs: 'config' })
    else if (!named.has(urn)) {
      const plugin = { ...pluginOf(one), pkg: packageOf(typeOf(urn)) }
      named.set(urn, { urn, parent: '', plugin, inputs: one.providerInputs })
    }
  }
  const isMissing = ({ urn }: NeededProvider): boolean => input.liveStateOf(urn) === undefined
  const sorted = (map: ReadonlyMap<Urn, NeededProvider>): readonly NeededProvider[] =>
    [...map.values()].filter(isMissing).sort((a, b) => (a.urn < b.urn ? -1 : 1))
  return [...sorted(defaults), ...sorted(named)]
}

/**
 * Returns the imports, each after its parent. A resource that the state has under the same id is
 * left out; another id or an unknown parent is a refusal. `stackUrn`: the parent of imports that
 * name none.
 */
export function placeImports(
  requested: readonly ImportedResource[],
  input: ImportInput,
  stackUrn: Urn,
): readonly PlacedImport[] {
  const open = requested.flatMap((one): readonly PlacedImport[] => {
    if (isProviderType(one.type)) return []
    const parent = one.parent === '' ? stackUrn : one.parent
    const urn = urnOf(one, input, parent)
    const old = input.liveStateOf(urn)
    if (old !== undefined && (old.importID === '' ? old.id : old.importID) === one.id) return []
    const provider = one.component === 'local' ? '' : providerOf(one, input)
    const refusal = old === undefined ? undefined : `resource '${urn}' already exists`
    return [{ resource: one, urn, parent, provider, refusal }]
  })
  return orderByParent(open, requested, input)
}

/** Orders imports with parents first, and refuses those with an unknown parent. */
function orderByParent(
  open: readonly PlacedImport[],
  requested: readonly ImportedResource[],
  input: ImportInput,
): readonly PlacedImport[] {
  const made = new Set(findNeededProviders(requested, input).map(({ urn }) => urn))
  const coming = new Set(open.map(({ urn }) => urn))
  const children = new Map<Urn, PlacedImport[]>()
  const ready: PlacedImport[] = []
  for (const one of open) {
    if (!coming.has(one.parent)) {
      const isKnown =
        urnPartsOf(one.parent).qualifiedType === stackType ||
        input.liveStateOf(one.parent) !== undefined ||
        made.has(one.parent)
      const unknown = `unknown parent '${one.parent}' for resource '${one.urn}'`
      ready.push(isKnown ? one : { ...one, refusal: one.refusal ?? unknown })
    } else children.set(one.parent, [...(children.get(one.parent) ?? []), one])
  }
  for (let at = 0; at < ready.length; at += 1) {
    const next = ready[at]
    if (next !== undefined) ready.push(...(children.get(next.urn) ?? []))
  }
  return ready
}

/** Returns the provider of an import: the named one, or the default one of its package. */
function providerOf(one: ImportedResource, input: ImportInput): Urn {
  if (one.provider !== '') return one.provider
  const request = requestOf(one, input)
  return childUrnOf(input, undefined, {
    type: providerTypeOf(request.pkg),
    name: defaultNameOf(request),
  })
}

/** Returns the plugin of a default provider; missing parts come from the program's packages. */
function requestOf(one: ImportedResource, { required }: ImportInput): PackageRequest {
  const table = required.get(packageOf(one.type))
  const own = pluginOf(one)
  const known = {
    ...own,
    downloadUrl: own.downloadUrl || (table?.downloadUrl ?? ''),
    checksums: table?.checksums ?? own.checksums,
  }
  const parameters = own.parameters ?? table?.parameters
  if (parameters === undefined) return { ...known, version: own.version || (table?.version ?? '') }
  const packageVersion = table === undefined ? '' : packageVersionOf(table)
  return {
    ...known,
    version: own.parameters === undefined ? (table?.version ?? '') : own.version,
    parameters: { ...parameters, version: one.version || packageVersion },
  }
}

function pluginOf(one: ImportedResource): PackageRequest {
  const { type, version, pluginDownloadUrl: downloadUrl, parameterization } = one
  const pluginFields = { pkg: packageOf(type), downloadUrl, checksums: new Map<string, string>() }
  if (parameterization === undefined) return { ...pluginFields, version }
  const { pluginName: plugin, pluginVersion, value } = parameterization
  return { ...pluginFields, version: pluginVersion, parameters: { plugin, version, value } }
}

/** Reports whether the version of a parameterized package is missing. */
function isVersionLacking(one: ImportedResource, input: ImportInput): boolean {
  if (one.component === 'local') return false
  if (one.provider !== '' && input.liveStateOf(one.provider) !== undefined) return false
  const isDefault = one.provider === '' && !isProviderType(one.type)
  return (isDefault ? requestOf(one, input) : pluginOf(one)).parameters?.version === ''
}

function urnOf(one: ImportedResource, input: ImportInput, parent: Urn | undefined): Urn {
  const qualified = parent === undefined ? undefined : urnPartsOf(parent).qualifiedType
  return childUrnOf(input, qualified, one)
}
