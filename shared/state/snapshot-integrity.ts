import { messageOf } from '../errors/error.ts'
import { isProviderType, parseReference, referenceOf } from '../names/provider-reference.ts'
import { isUrn, typeOf } from '../names/urn.ts'
import { manifestOf } from './snapshot-codec.ts'
import { isJsonObject, readTextField, readNestedTexts, readTextListField } from './stored-fields.ts'
import type { StoredDeployment, StoredResource } from './stored.ts'

/** The resources that precede a resource in its list. */
interface Seen {
  readonly urns: Set<string>
  readonly providers: Set<string>
  /** All URNs of the list, to distinguish "comes after" from "missing". */
  readonly all: ReadonlySet<string>
}

/**
 * Returns the first integrity error of a deployment, or undefined. It checks the union of the
 * strict parts of Pulumi's two checks. Source: docs/spec/state-integrity.md#verify-integrity.
 */
export function verifyIntegrity(deployment: StoredDeployment): string | undefined {
  const { manifest, resources = [] } = deployment
  if (manifest.magic !== manifestOf(manifest.version, manifest.time).magic)
    return 'the magic of the manifest does not match its version'
  const seen: Seen = {
    urns: new Set(),
    providers: new Set(),
    all: new Set(resources.map(resource => resource.urn)),
  }
  for (const resource of resources) {
    const fault =
      faultOfIdentity(resource, seen) ??
      faultOfProvider(resource, seen) ??
      faultOfParent(resource, seen) ??
      faultOfDependencies(resource, seen)
    if (fault !== undefined) return fault
    seen.urns.add(resource.urn)
  }
  return faultOfDuplicates(resources) ?? faultOfSnippets(deployment)
}

/** Also records a provider, which later resources and the provider itself may reference. */
function faultOfIdentity(resource: StoredResource, seen: Seen): string | undefined {
  const { urn, type } = resource
  const id = readTextField(resource, 'id')
  if (urn === '') return `a resource of type '${type}' has no URN`
  if (type === '') return `resource '${urn}' has no type`
  if (!resource.custom && id !== '') return `component '${urn}' has the id '${id}'`
  if (!isProviderType(type)) return undefined
  if (!isUrn(urn) || !isProviderType(typeOf(urn)))
    return `provider '${urn}' does not have the URN of a provider`
  seen.providers.add(referenceOf(urn, id))
  return undefined
}

function faultOfProvider(resource: StoredResource, seen: Seen): string | undefined {
  const provider = readTextField(resource, 'provider')
  if (provider === '') return undefined
  try {
    const { urn, id } = parseReference(provider)
    const isKnown = seen.providers.has(referenceOf(urn, id))
    if (isKnown || resource['pendingReplacement'] === true) return undefined
    return `resource '${resource.urn}' refers to the unknown provider '${provider}'`
  } catch (thrown) {
    return `resource '${resource.urn}': ${messageOf(thrown)}`
  }
}

function faultOfParent(resource: StoredResource, seen: Seen): string | undefined {
  return faultOfEdge(resource, seen, 'parent', readTextField(resource, 'parent'))
}

function faultOfDependencies(resource: StoredResource, seen: Seen): string | undefined {
  const faultIn = (what: string, urns: Iterable<string>): string | undefined => {
    for (const urn of urns) {
      const fault = faultOfEdge(resource, seen, what, urn)
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
  seen: Seen,
  ...[what, urn]: [what: string, urn: string]
): string | undefined {
  if (urn === '' || seen.urns.has(urn)) return undefined
  const why = seen.all.has(urn) ? 'comes after it' : 'is missing'
  return `resource '${resource.urn}': its ${what} '${urn}' ${why}`
}

function faultOfDuplicates(resources: readonly StoredResource[]): string | undefined {
  const live = new Set<string>()
  for (const resource of resources) {
    if (resource['delete'] === true) continue
    if (live.has(resource.urn))
      return `duplicate resource '${resource.urn}' (not marked for deletion)`
    live.add(resource.urn)
  }
  return undefined
}

function faultOfSnippets({ snippets = [] }: StoredDeployment): string | undefined {
  const seen = new Set<string>()
  for (const snippet of snippets) {
    const uuid = isJsonObject(snippet) ? readTextField(snippet, 'uuid') : ''
    if (uuid === '') return 'a snippet has no uuid'
    if (seen.has(uuid)) return `duplicate snippet '${uuid}'`
    seen.add(uuid)
  }
  return undefined
}
