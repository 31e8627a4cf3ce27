import { fieldOf, isEmpty, itemsOf, type OrderedJson } from './ordered-json.ts'

/** The features that Pulumi's format of states knows. */
const knownFeatures = new Set([
  'refreshBeforeUpdate',
  'views',
  'hooks',
  'taint',
  'replaceWith',
  'extensionParameterization',
  'snippets-prototype',
  'byteString',
])

/** The feature that each of these fields of a resource requires when the field is not empty. */
const featureByField = new Map([
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
  const versionText = version?.kind === 'number' ? version.numberText : ''
  if (versionText !== '3' && versionText !== '4')
    return [`the version is '${versionText}', not 3 or 4`]
  const namedFeatures = itemsOf(envelope, 'features').map(item =>
    item.kind === 'text' ? item.text : '',
  )
  const neededFeatures = neededFeaturesOf(fieldOf(envelope, 'deployment'))
  const complaints = [
    ...namedFeatures
      .filter(name => !knownFeatures.has(name))
      .map(name => `unknown feature '${name}'`),
    ...[...neededFeatures]
      .filter(name => !namedFeatures.includes(name))
      .map(name => `feature '${name}' is missing`),
    // A ciphertext can hide bytes, so an unused `byteString` cannot be recognized.
    ...namedFeatures
      .filter(name => knownFeatures.has(name) && name !== 'byteString' && !neededFeatures.has(name))
      .map(name => `feature '${name}' is named but not used`),
  ]
  if (versionText !== (namedFeatures.length > 0 ? '4' : '3'))
    complaints.push(`version ${versionText} with ${namedFeatures.length} features`)
  if (namedFeatures.some((name, index) => index > 0 && (namedFeatures[index - 1] ?? '') >= name))
    complaints.push('the features are not sorted')
  return complaints
}

function neededFeaturesOf(deployment: OrderedJson | undefined): ReadonlySet<string> {
  const operations = itemsOf(deployment, 'pending_operations')
  const resources = [
    ...itemsOf(deployment, 'resources'),
    ...operations.flatMap(operation => fieldOf(operation, 'resource') ?? []),
  ]
  const neededFeatures = new Set<string>()
  for (const resource of resources)
    for (const [field, feature] of featureByField) {
      const value = fieldOf(resource, field)
      if (value !== undefined && !isEmpty(value)) neededFeatures.add(feature)
    }
  if (itemsOf(deployment, 'snippets').length > 0) neededFeatures.add('snippets-prototype')
  return neededFeatures
}
