import { createHash } from 'node:crypto'
import type { Archive, Asset, PropertyMap, PropertyValue, SpecialValue } from './value.ts'
import { isList, isMap, isSpecial } from './value.ts'

/**
 * Reports whether two values are equal by Pulumi's rules
 * (docs/spec/json-encoding.md#encoding-rules). In objects null equals absent, assets are compared
 * by hash, secrets equal secrets only, and an unknown equals an unknown.
 */
export function areEqualValues(
  a: PropertyValue | undefined,
  b: PropertyValue | undefined,
): boolean {
  if (a === b) return true
  if (a === undefined || b === undefined || a === null || b === null)
    return (a ?? null) === (b ?? null)
  if (isMap(a)) return isMap(b) && areEqualMaps(a, b)
  if (isList(a))
    return (
      isList(b) && a.length === b.length && a.every((item, index) => areEqualValues(item, b[index]))
    )
  if (isSpecial(a)) return isSpecial(b) && areEqualSpecials(a, b)
  return false
}

/** Reports whether two objects are equal; null counts as absent. */
export function areEqualMaps(a: PropertyMap, b: PropertyMap): boolean {
  if (a === b) return true
  for (const [key, value] of a) if (!areEqualValues(value, b.get(key) ?? null)) return false
  for (const [key, value] of b) if (!a.has(key) && value !== null) return false
  return true
}

function areEqualSpecials(a: SpecialValue, b: SpecialValue): boolean {
  if (a.kind === 'secret') return b.kind === 'secret' && areEqualValues(a.value, b.value)
  if (a.kind === 'unknown') return b.kind === 'unknown'
  if (a.kind === 'bytes') return b.kind === 'bytes' && a.base64 === b.base64
  if (a.kind === 'reference')
    return b.kind === 'reference' && a.urn === b.urn && areEqualValues(a.id ?? null, b.id ?? null)
  if (a.kind === 'asset' || a.kind === 'archive') return b.kind === a.kind && areEqualAssets(a, b)
  if (b.kind !== 'output' || a.secret !== b.secret) return false
  const hasSameDependencies = a.dependencies.join('\n') === b.dependencies.join('\n')
  return (
    hasSameDependencies &&
    (a.value === undefined) === (b.value === undefined) &&
    areEqualValues(a.value, b.value)
  )
}

/**
 * Compares two assets or archives by hash. Without a hash, text is hashed here. Values without a
 * hash are equal if they have the same path, address or members. A value with a hash never equals
 * one without a hash.
 */
function areEqualAssets(a: Asset | Archive, b: Asset | Archive): boolean {
  const hash = hashOf(a)
  if (hash !== hashOf(b)) return false
  return hash !== '' || areEqualSources(a.source, b.source)
}

function hashOf({ hash, source }: Asset | Archive): string {
  if (hash !== '' || source === undefined || !('text' in source)) return hash
  return createHash('sha256').update(source.text, 'utf8').digest('hex')
}

function areEqualSources(a: (Asset | Archive)['source'], b: (Asset | Archive)['source']): boolean {
  if (a === undefined || b === undefined) return false
  if ('path' in a) return 'path' in b && a.path === b.path
  if ('uri' in a) return 'uri' in b && a.uri === b.uri
  if (!('assets' in a) || !('assets' in b) || a.assets.size !== b.assets.size) return false
  for (const [key, member] of a.assets) {
    const other = b.assets.get(key)
    if (other?.kind !== member.kind || !areEqualAssets(member, other)) return false
  }
  return true
}
