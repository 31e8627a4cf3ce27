import { createError } from '../errors/error.ts'
import { childUrnOf, isUrn, urnPartsOf, stackType, typeOf } from '../names/urn.ts'
import {
  isJsonObject,
  type StoredJsonObject,
  readListMapField,
  readTextField,
  readTextListField,
} from './stored-fields.ts'
import type { Json, StoredDeployment, StoredResource } from './stored.ts'

/** Old URN → new URN. */
type Renames = ReadonlyMap<string, string>

/**
 * Replaces every alias in the deployment by the current URN, and removes the aliases. Pending
 * operations stay unchanged. A deployment without aliases is returned unchanged. Throws
 * STATE_INTEGRITY when two URNs have the same alias. Source:
 * docs/spec/state-integrity.md#normalize-urns.
 */
export function normalizeUrns(deployment: StoredDeployment): StoredDeployment {
  const { resources = [], snippets } = deployment
  // URNs change only if a resource has aliases, so most states need a single pass.
  if (resources.every(resource => resource['aliases'] === undefined)) return deployment
  const renames = renamesOf(resources)
  return {
    ...deployment,
    resources: resources.map(resource => applyRenames(resource, renames)),
    ...(snippets === undefined
      ? {}
      : { snippets: snippets.map(snippet => renameSnippet(snippet, renames)) }),
  }
}

/**
 * Returns the current URN of each alias, and the new URN of each child of a renamed resource. The
 * URN of a child contains the types of its parents.
 */
function renamesOf(resources: readonly StoredResource[]): Renames {
  const renames = new Map<string, string>()
  for (const resource of resources) {
    const { urn } = resource
    for (const alias of readTextListField(resource, 'aliases')) {
      const otherUrn = renames.get(alias)
      if (otherUrn !== undefined && otherUrn !== urn)
        throw createError(
          'STATE_INTEGRITY',
          `'${otherUrn}' and '${urn}' both have the alias '${alias}'`,
        )
      renames.set(alias, urn)
    }
    const parent = renames.get(readTextField(resource, 'parent'))
    if (parent === undefined || !isUrn(parent) || !isUrn(urn)) continue
    const { qualifiedType } = urnPartsOf(parent)
    if (qualifiedType === stackType) continue
    const { name, stack, project } = urnPartsOf(urn)
    renames.set(urn, childUrnOf({ stack, project }, qualifiedType, { type: typeOf(urn), name }))
  }
  return renames
}

function applyRenames(resource: StoredResource, renames: Renames): StoredResource {
  const currentUrnOf = (urn: string): string => renames.get(urn) ?? urn
  const { aliases: _aliases, ...fields } = resource
  const changes: Record<string, Json> = {}
  for (const field of ['parent', 'deletedWith', 'viewOf']) {
    const value = readTextField(resource, field)
    if (renames.has(value)) changes[field] = currentUrnOf(value)
  }
  for (const field of ['dependencies', 'replaceWith']) {
    const urns = readTextListField(resource, field)
    if (urns.some(urn => renames.has(urn))) changes[field] = urns.map(currentUrnOf)
  }
  const provider = renameReference(readTextField(resource, 'provider'), renames)
  if (provider !== undefined) changes['provider'] = provider
  const propertyDependencies = readListMapField(resource, 'propertyDependencies')
  if ([...propertyDependencies.values()].some(urns => urns.some(urn => renames.has(urn))))
    // The rename drops empty lists, as in Pulumi (`withAllUpdatedDependencies`).
    changes['propertyDependencies'] = Object.fromEntries(
      [...propertyDependencies]
        .filter(([, urns]) => urns.length > 0)
        .map(([key, urns]) => [key, urns.map(currentUrnOf)]),
    )
  return {
    ...fields,
    ...changes,
    urn: currentUrnOf(resource.urn),
    custom: fields.custom,
    type: fields.type,
  }
}

/**
 * Returns the provider reference with the current URN of the provider, or undefined when the URN
 * has not changed.
 */
function renameReference(reference: string, renames: Renames): string | undefined {
  const separatorIndex = reference.lastIndexOf('::')
  const urn = separatorIndex < 0 ? undefined : renames.get(reference.slice(0, separatorIndex))
  return urn === undefined ? undefined : urn + reference.slice(separatorIndex)
}

function renameSnippet(snippet: Json, renames: Renames): Json {
  if (!isJsonObject(snippet) || !isJsonObject(snippet['references'])) return snippet
  const references: StoredJsonObject = Object.fromEntries(
    Object.entries(snippet['references']).map(([name, urn]) => [
      name,
      typeof urn === 'string' ? (renames.get(urn) ?? urn) : urn,
    ]),
  )
  return { ...snippet, references }
}
