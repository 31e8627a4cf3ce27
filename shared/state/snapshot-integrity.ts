import { messageOf } from '../errors/error.ts'
import {
  isProviderType,
  parseProviderReference,
  providerReferenceOf,
} from '../names/provider-reference.ts'
import { isUrn, typeOf } from '../names/urn.ts'
import { manifestOf } from './snapshot-codec.ts'
import { isJsonObject, readTextField, readNestedTexts, readTextListField } from './stored-fields.ts'
import type { StoredDeployment, StoredResource } from './stored.ts'

/** The URNs and providers that precede a resource in its list. */
interface EarlierResources {
  /** For each URN, whether one of its resources is not marked for deletion. */
  readonly urns: Map<string, boolean>
  readonly providers: Set<string>
  /** The whole list, to distinguish "comes after" from "missing". */
  readonly list: readonly StoredResource[]
}

/**
 * Returns the first integrity error of a state, or undefined. Pulumi checks a snapshot differently
 * when it reads and when it writes it. These are the rules for reading, which also cover
 * `replaceWith`. Source: docs/spec/state-integrity.md#verify-integrity.
 */
export function verifyIntegrity(deployment: StoredDeployment): string | undefined {
  const { manifest, resources = [] } = deployment
  if (manifest.magic !== manifestOf(manifest.version, manifest.time).magic)
    return 'the magic of the manifest does not match its version'
  // One map serves all checks, because a large map is most of their cost.
  const earlier: EarlierResources = { urns: new Map(), providers: new Set(), list: resources }
  let duplicateFault: string | undefined
  for (const resource of resources) {
    const fault =
      faultOfIdentity(resource, earlier) ??
      faultOfProvider(resource, earlier) ??
      faultOfParent(resource, earlier) ??
      faultOfDependencies(resource, earlier)
    if (fault !== undefined) return fault
    duplicateFault ??= addResource(resource, earlier)
  }
  return duplicateFault ?? faultOfSnippets(deployment)
}

/**
 * Returns the error in URN, type or id of a resource. Also records a provider, which later
 * resources and the provider itself may reference.
 */
function faultOfIdentity(resource: StoredResource, earlier: EarlierResources): string | undefined {
  const { urn, type } = resource
  const id = readTextField(resource, 'id')
  if (urn === '') return `a resource of type '${type}' has no URN`
  if (type === '') return `resource '${urn}' has no type`
  if (!resource.custom && id !== '') return `component '${urn}' has the id '${id}'`
  if (!isProviderType(type)) return undefined
  if (!isUrn(urn) || !isProviderType(typeOf(urn)))
    return `provider '${urn}' does not have the URN of a provider`
  earlier.providers.add(providerReferenceOf(urn, id))
  return undefined
}

function faultOfProvider(resource: StoredResource, earlier: EarlierResources): string | undefined {
  const provider = readTextField(resource, 'provider')
  if (provider === '') return undefined
  try {
    const { urn, id } = parseProviderReference(provider)
    const isEarlier = earlier.providers.has(providerReferenceOf(urn, id))
    if (isEarlier || resource['pendingReplacement'] === true) return undefined
    return `resource '${resource.urn}' refers to the unknown provider '${provider}'`
  } catch (thrown) {
    return `resource '${resource.urn}': ${messageOf(thrown)}`
  }
}

function faultOfParent(resource: StoredResource, earlier: EarlierResources): string | undefined {
  return faultOfEdge(resource, earlier, 'parent', readTextField(resource, 'parent'))
}

function faultOfDependencies(
  resource: StoredResource,
  earlier: EarlierResources,
): string | undefined {
  const faultIn = (relation: string, urns: Iterable<string>): string | undefined => {
    for (const urn of urns) {
      const fault = faultOfEdge(resource, earlier, relation, urn)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  return (
    faultIn('dependency', readTextListField(resource, 'dependencies')) ??
    faultIn('property dependency', readNestedTexts(resource, 'propertyDependencies')) ??
    faultIn('deletedWith', [readTextField(resource, 'deletedWith')]) ??
    faultIn('replaceWith', readTextListField(resource, 'replaceWith'))
  )
}

function faultOfEdge(
  resource: StoredResource,
  earlier: EarlierResources,
  ...[relation, urn]: [relation: string, urn: string]
): string | undefined {
  if (urn === '' || earlier.urns.has(urn)) return undefined
  const isLater = earlier.list.some(other => other.urn === urn)
  const problem = isLater ? 'comes after it' : 'is missing'
  return `resource '${resource.urn}': its ${relation} '${urn}' ${problem}`
}

/** Adds a resource to the earlier ones. Returns the error of a second resource with its URN. */
function addResource(resource: StoredResource, { urns }: EarlierResources): string | undefined {
  const { urn } = resource
  const hasOther = urns.get(urn)
  const isMarked = resource['delete'] === true
  if (hasOther === undefined || !isMarked) urns.set(urn, !isMarked)
  return hasOther === true && !isMarked
    ? `duplicate resource '${urn}' (not marked for deletion)`
    : undefined
}

/** Checks the ids of snippets, which the service behind Pulumi Cloud adds to states. */
function faultOfSnippets({ snippets = [] }: StoredDeployment): string | undefined {
  const seenUuids = new Set<string>()
  for (const snippet of snippets) {
    const uuid = isJsonObject(snippet) ? readTextField(snippet, 'uuid') : ''
    if (uuid === '') return 'a snippet has no uuid'
    if (seenUuids.has(uuid)) return `duplicate snippet '${uuid}'`
    seenUuids.add(uuid)
  }
  return undefined
}
