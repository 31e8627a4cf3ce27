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

/** The URNs and providers that precede a resource in its list, and findings of the check so far. */
interface EarlierResources {
  readonly urns: Set<string>
  readonly providers: Set<string>
  /** The whole list, to distinguish "comes after" from "missing". */
  readonly list: readonly StoredResource[]
  /** Whether several resources have the same URN. */
  hasSharedUrns: boolean
  /**
   * Whether a resource refers to a provider that is not earlier. Only resources with
   * `pendingReplacement` may do so.
   */
  hasLateProviders: boolean
  /** The parent that was found last. Neighbours often have the same parent. */
  lastParent: string
}

/** The result of a check. */
interface IntegrityReport {
  /** The first integrity error, if any. */
  readonly fault: string | undefined
  /**
   * True only if a topological sort would not change the order of the resources. Always false for a
   * state with an error, late providers or shared URNs.
   */
  readonly isSorted: boolean
}

/**
 * Returns the first integrity error of a state, or undefined. Pulumi has different rules for a
 * snapshot that it reads and for one that it writes. This function has the rules for reading, which
 * also cover `replaceWith`. Source: docs/spec/state-integrity.md#verify-integrity.
 */
export function verifyIntegrity(deployment: StoredDeployment): string | undefined {
  return inspectIntegrity(deployment).fault
}

/** Checks a state like `verifyIntegrity`, and whether its resources are known to be sorted. */
export function inspectIntegrity(deployment: StoredDeployment): IntegrityReport {
  const { manifest, resources = [] } = deployment
  if (manifest.magic !== manifestOf(manifest.version, manifest.time).magic)
    return createFaultReport('the magic of the manifest does not match its version')
  // All checks share one set of URNs, because filling a large set is most of their cost.
  const earlier: EarlierResources = {
    urns: new Set<string>(),
    providers: new Set<string>(),
    list: resources,
    hasSharedUrns: false,
    hasLateProviders: false,
    lastParent: '',
  }
  for (const resource of resources) {
    const fault =
      checkIdentity(resource, earlier) ??
      checkProvider(resource, earlier) ??
      checkParent(resource, earlier) ??
      checkDependencies(resource, earlier)
    if (fault !== undefined) return createFaultReport(fault)
    const { urns } = earlier
    const earlierCount = urns.size
    urns.add(resource.urn)
    if (urns.size === earlierCount) earlier.hasSharedUrns = true
  }
  const { hasSharedUrns, hasLateProviders } = earlier
  const duplicateFault = hasSharedUrns ? findDuplicate(resources) : undefined
  const fault = duplicateFault ?? checkSnippets(deployment)
  // Without shared URNs, each reference has a single target. The checks have found that it is
  // earlier.
  return { fault, isSorted: !hasSharedUrns && !hasLateProviders }
}

function createFaultReport(fault: string): IntegrityReport {
  return { fault, isSorted: false }
}

/** Returns the error of the first live resource whose URN an earlier live resource has. */
function findDuplicate(resources: readonly StoredResource[]): string | undefined {
  const liveUrns = new Set<string>()
  for (const resource of resources) {
    if (resource['delete'] === true) continue
    const { urn } = resource
    if (liveUrns.has(urn)) return `duplicate resource '${urn}' (not marked for deletion)`
    liveUrns.add(urn)
  }
  return undefined
}

/**
 * Returns the error in URN, type or id of a resource, if any. Also records a provider, which later
 * resources and the provider itself may reference.
 */
function checkIdentity(resource: StoredResource, earlier: EarlierResources): string | undefined {
  const { urn, type } = resource
  const id = readTextField(resource, 'id')
  if (urn === '') return `a resource of type '${type}' has no URN`
  if (!isUrn(urn)) return `'${urn}' is not a valid URN`
  if (type === '') return `resource '${urn}' has no type`
  if (!resource.custom && id !== '') return `component '${urn}' has the id '${id}'`
  if (!isProviderType(type)) return undefined
  if (!isProviderType(typeOf(urn))) return `provider '${urn}' does not have the URN of a provider`
  earlier.providers.add(providerReferenceOf(urn, id))
  return undefined
}

/**
 * Returns the error in the provider reference of a resource, if any. Also records whether the
 * provider is late.
 */
function checkProvider(resource: StoredResource, earlier: EarlierResources): string | undefined {
  const provider = readTextField(resource, 'provider')
  if (provider === '' || earlier.providers.has(provider)) return undefined
  try {
    const { urn, id } = parseProviderReference(provider)
    if (earlier.providers.has(providerReferenceOf(urn, id))) return undefined
    earlier.hasLateProviders = true
    if (resource['pendingReplacement'] === true) return undefined
    return `resource '${resource.urn}' refers to the unknown provider '${provider}'`
  } catch (thrown) {
    return `resource '${resource.urn}': ${messageOf(thrown)}`
  }
}

function checkParent(resource: StoredResource, earlier: EarlierResources): string | undefined {
  const parent = readTextField(resource, 'parent')
  if (parent === earlier.lastParent) return undefined
  const fault = checkEdge(resource, earlier, 'parent', parent)
  if (fault === undefined) earlier.lastParent = parent
  return fault
}

function checkDependencies(
  resource: StoredResource,
  earlier: EarlierResources,
): string | undefined {
  const { dependencies, propertyDependencies, deletedWith, replaceWith } = resource
  const findFaultIn = (relation: string, urns: readonly string[]): string | undefined => {
    for (const urn of urns) {
      const fault = checkEdge(resource, earlier, relation, urn)
      if (fault !== undefined) return fault
    }
    return undefined
  }
  // Most resources lack most of these fields, so an absent field is not read.
  let fault: string | undefined
  if (dependencies !== undefined)
    fault = findFaultIn('dependency', readTextListField(resource, 'dependencies'))
  if (propertyDependencies !== undefined)
    fault ??= findFaultIn('property dependency', readNestedTexts(resource, 'propertyDependencies'))
  if (deletedWith !== undefined)
    fault ??= findFaultIn('deletedWith', [readTextField(resource, 'deletedWith')])
  if (replaceWith !== undefined)
    fault ??= findFaultIn('replaceWith', readTextListField(resource, 'replaceWith'))
  return fault
}

/** Returns the error in a reference to a resource that is not earlier. '' is no reference. */
function checkEdge(
  resource: StoredResource,
  earlier: EarlierResources,
  ...[relation, urn]: [relation: string, urn: string]
): string | undefined {
  if (urn === '' || earlier.urns.has(urn)) return undefined
  const isLater = earlier.list.some(other => other.urn === urn)
  const problem = isLater ? 'comes after it' : 'is missing'
  return `resource '${resource.urn}': its ${relation} '${urn}' ${problem}`
}

/** Returns the error in the ids of snippets, which the service of Pulumi Cloud adds to states. */
function checkSnippets({ snippets = [] }: StoredDeployment): string | undefined {
  const seenUuids = new Set<string>()
  for (const snippet of snippets) {
    const uuid = isJsonObject(snippet) ? readTextField(snippet, 'uuid') : ''
    if (uuid === '') return 'a snippet has no uuid'
    if (seenUuids.has(uuid)) return `duplicate snippet '${uuid}'`
    seenUuids.add(uuid)
  }
  return undefined
}
