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
 * Restores the contents of returned assets that have only a hash. The contents come from the sent
 * assets with the same hash.
 */
export function restoreAssets(
  sentProperties: PropertyMap,
  returnedProperties: PropertyMap,
): PropertyMap {
  const assetsByHash = new Map<string, Asset | Archive>()
  visitAssets(sentProperties, asset => {
    if (asset.hash !== '' && asset.source !== undefined)
      assetsByHash.set(asset.kind + asset.hash, asset)
  })
  return assetsByHash.size === 0 ? returnedProperties : restoreMap(returnedProperties, assetsByHash)
}

function visitAssets(value: PropertyValue, onAsset: (asset: Asset | Archive) => void): void {
  if (isMap(value)) for (const inner of value.values()) visitAssets(inner, onAsset)
  else if (isList(value)) for (const inner of value) visitAssets(inner, onAsset)
  else if (isSpecial(value)) {
    if (value.kind === 'asset' || value.kind === 'archive') onAsset(value)
    if (value.kind === 'secret') visitAssets(value.value, onAsset)
    if (value.kind === 'output' && value.value !== undefined) visitAssets(value.value, onAsset)
  }
}

type AssetsByHash = ReadonlyMap<string, Asset | Archive>

function restoreMap(map: PropertyMap, assetsByHash: AssetsByHash): PropertyMap {
  return new Map([...map].map(([key, value]) => [key, restore(value, assetsByHash)]))
}

function restore(value: PropertyValue, assetsByHash: AssetsByHash): PropertyValue {
  if (isMap(value)) return restoreMap(value, assetsByHash)
  if (isList(value)) return value.map(inner => restore(inner, assetsByHash))
  if (!isSpecial(value)) return value
  if (value.kind === 'secret') return { ...value, value: restore(value.value, assetsByHash) }
  if (value.kind === 'output' && value.value !== undefined)
    return { ...value, value: restore(value.value, assetsByHash) }
  if (value.kind !== 'asset' && value.kind !== 'archive') return value
  return value.source === undefined ? (assetsByHash.get(value.kind + value.hash) ?? value) : value
}
