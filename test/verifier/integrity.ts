import { fieldOf, itemsOf, type OrderedJson, textOf } from './ordered-json.ts'

/** Returns the errors in URNs, types, ids and references of resources, and repeated URNs. */
export function checkIntegrity(resources: readonly OrderedJson[]): readonly string[] {
  const earlierUrns = new Set<string>()
  const providers = new Set<string>()
  const allUrns = new Set(resources.map(resource => textOf(resource, 'urn')))
  const complaints: string[] = []
  for (const resource of resources) {
    const urn = textOf(resource, 'urn') ?? ''
    complaints.push(...checkOwnRules(resource, urn))
    const providerType = /^pulumi:providers:[^:]+$/
    if (providerType.test(textOf(resource, 'type') ?? ''))
      providers.add(`${urn}::${textOf(resource, 'id') ?? unknownId}`)
    const provider = textOf(resource, 'provider')
    if (
      provider !== undefined &&
      !providers.has(provider) &&
      !isTrue(resource, 'pendingReplacement')
    )
      complaints.push(`${urn}: its provider ${provider} does not come before it`)
    for (const [relation, target] of referencesOf(resource)) {
      if (earlierUrns.has(target)) continue
      const problem = allUrns.has(target) ? 'comes after it' : 'is missing'
      complaints.push(`${urn}: its ${relation} ${target} ${problem}`)
    }
    earlierUrns.add(urn)
  }
  return [...complaints, ...findDuplicates(resources)]
}

/** The id that Pulumi writes in place of an unknown one. */
const unknownId = '04da6b54-80e4-46f7-96ec-b56ff0331ba9'

function isTrue(resource: OrderedJson, name: string): boolean {
  const field = fieldOf(resource, name)
  return field?.kind === 'literal' && field.value === true
}

/** Checks a resource without regard to the others: its URN, its type and its id. */
function checkOwnRules(resource: OrderedJson, urn: string): readonly string[] {
  const type = textOf(resource, 'type') ?? ''
  const complaints: string[] = []
  if (urn === '' || type === '') complaints.push('a resource has no urn or no type')
  const parts = urn.split('::')
  if (!urn.startsWith('urn:pulumi:') || parts.length < 4) complaints.push(`${urn}: is not a URN`)
  else if (parts[2]?.split('$').at(-1) !== type)
    complaints.push(`${urn}: its type is not '${type}'`)
  if (!isTrue(resource, 'custom') && fieldOf(resource, 'id') !== undefined)
    complaints.push(`${urn}: has an id but is not custom`)
  return complaints
}

function referencesOf(resource: OrderedJson): readonly (readonly [string, string])[] {
  const toReferences = (relation: string, items: readonly OrderedJson[]): [string, string][] =>
    items.flatMap(item => (item.kind === 'text' && item.text !== '' ? [[relation, item.text]] : []))
  const listSingleReference = (relation: string): [string, string][] => {
    const urn = textOf(resource, relation)
    return urn === undefined ? [] : [[relation, urn]]
  }
  const byProperty = fieldOf(resource, 'propertyDependencies')
  const properties = byProperty?.kind === 'object' ? byProperty.fields : []
  return [
    ...listSingleReference('parent'),
    ...toReferences('dependency', itemsOf(resource, 'dependencies')),
    ...properties.flatMap(([, items]) =>
      items.kind === 'list' ? toReferences('property dependency', items.items) : [],
    ),
    ...listSingleReference('deletedWith'),
    ...toReferences('replaceWith', itemsOf(resource, 'replaceWith')),
  ]
}

/**
 * Returns errors for repeated URNs. Of several resources with one URN all but one must be marked
 * for deletion.
 */
function findDuplicates(resources: readonly OrderedJson[]): readonly string[] {
  const undeletedCounts = new Map<string, number>()
  for (const resource of resources) {
    const urn = textOf(resource, 'urn') ?? ''
    if (!isTrue(resource, 'delete')) undeletedCounts.set(urn, (undeletedCounts.get(urn) ?? 0) + 1)
  }
  return [...undeletedCounts]
    .filter(([, count]) => count > 1)
    .map(([urn, count]) => `${urn}: occurs ${count} times, not marked for deletion`)
}
