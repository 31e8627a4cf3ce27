import { fieldOf, isEmpty, itemsOf, type OrderedJson } from './ordered-json.ts'

/** The known features. */
const known = new Set([
  'refreshBeforeUpdate',
  'views',
  'hooks',
  'taint',
  'replaceWith',
  'extensionParameterization',
  'snippets-prototype',
  'byteString',
])

/** The field of a resource that requires a feature when it is not empty. */
const raisedBy = new Map([
  ['refreshBeforeUpdate', 'refreshBeforeUpdate'],
  ['viewOf', 'views'],
  ['resourceHooks', 'hooks'],
  ['taint', 'taint'],
  ['replaceWith', 'replaceWith'],
  ['extensionRef', 'extensionParameterization'],
  ['snippetID', 'snippets-prototype'],
])

/** Returns the errors in version and features of an envelope. */
export function checkFeatures(envelope: OrderedJson): readonly string[] {
  const version = fieldOf(envelope, 'version')
  const written = version?.kind === 'number' ? version.written : ''
  if (written !== '3' && written !== '4') return [`the version is '${written}', not 3 or 4`]
  const named = itemsOf(envelope, 'features').map(item => (item.kind === 'text' ? item.text : ''))
  const needed = neededFeaturesOf(fieldOf(envelope, 'deployment'))
  const complaints = [
    ...named.filter(name => !known.has(name)).map(name => `unknown feature '${name}'`),
    ...[...needed]
      .filter(name => !named.includes(name))
      .map(name => `feature '${name}' is missing`),
    // The ciphertext does not show whether it contains bytes.
    ...named
      .filter(name => known.has(name) && name !== 'byteString' && !needed.has(name))
      .map(name => `feature '${name}' is named but not used`),
  ]
  if (written !== (named.length > 0 ? '4' : '3'))
    complaints.push(`version ${written} with ${named.length} features`)
  if (named.some((name, place) => place > 0 && (named[place - 1] ?? '') >= name))
    complaints.push('the features are not sorted')
  return complaints
}

function neededFeaturesOf(deployment: OrderedJson | undefined): ReadonlySet<string> {
  const operations = itemsOf(deployment, 'pending_operations')
  const resources = [
    ...itemsOf(deployment, 'resources'),
    ...operations.flatMap(operation => fieldOf(operation, 'resource') ?? []),
  ]
  const needed = new Set<string>()
  for (const resource of resources)
    for (const [field, feature] of raisedBy) {
      const found = fieldOf(resource, field)
      if (found !== undefined && !isEmpty(found)) needed.add(feature)
    }
  if (itemsOf(deployment, 'snippets').length > 0) needed.add('snippets-prototype')
  return needed
}
