import {
  type Archive,
  type Asset,
  isList,
  isMap,
  isSpecial,
  type PropertyMap,
  type PropertyValue,
} from '../../values/value.ts'

/**
 * Restores the contents of returned assets that are only hashes, from the sent assets with the same
 * hash.
 */
export function restoreAssets(sent: PropertyMap, returned: PropertyMap): PropertyMap {
  const known = new Map<string, Asset | Archive>()
  visit(sent, found => {
    if (found.hash !== '' && found.source !== undefined) known.set(found.kind + found.hash, found)
  })
  return known.size === 0 ? returned : restoreMap(returned, known)
}

function visit(value: PropertyValue, onFound: (found: Asset | Archive) => void): void {
  if (isMap(value)) for (const inner of value.values()) visit(inner, onFound)
  else if (isList(value)) for (const inner of value) visit(inner, onFound)
  else if (isSpecial(value)) {
    if (value.kind === 'asset' || value.kind === 'archive') onFound(value)
    if (value.kind === 'secret') visit(value.value, onFound)
    if (value.kind === 'output' && value.value !== undefined) visit(value.value, onFound)
  }
}

type Known = ReadonlyMap<string, Asset | Archive>

function restoreMap(map: PropertyMap, known: Known): PropertyMap {
  return new Map([...map].map(([key, value]) => [key, restore(value, known)]))
}

function restore(value: PropertyValue, known: Known): PropertyValue {
  if (isMap(value)) return restoreMap(value, known)
  if (isList(value)) return value.map(inner => restore(inner, known))
  if (!isSpecial(value)) return value
  if (value.kind === 'secret') return { ...value, value: restore(value.value, known) }
  if (value.kind === 'output' && value.value !== undefined)
    return { ...value, value: restore(value.value, known) }
  if (value.kind !== 'asset' && value.kind !== 'archive') return value
  return value.source === undefined ? (known.get(value.kind + value.hash) ?? value) : value
}
