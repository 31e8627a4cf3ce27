import { createHash } from 'node:crypto'
import { error } from '../errors/error.ts'
import { isArchiveName, openArchive } from './archive-members.ts'
import { compareUtf8 } from './go-json.ts'
import { tarOf, type TarMember } from './tar-stream.ts'
import type { Archive, Asset, PropertyMap, PropertyValue } from './value.ts'
import { contains } from './walk.ts'
import { isList, isMap, isSpecial } from './value.ts'

/** How contents of assets are read; paths are relative to the program's folder. */
export interface AssetReader {
  readonly readFile: (path: string) => Promise<Uint8Array>
  readonly isDirectory: (path: string) => Promise<boolean>
  /** Files below a folder with `/` separators, in the order of `state.md` 2.5. */
  readonly list: (path: string) => Promise<readonly string[]>
  /** Contents of a `http(s):` or `file:` address. */
  readonly fetch: (uri: string) => Promise<Uint8Array>
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** The map with the hashes of all assets and archives inside filled in; the same map when there are none. */
export async function hashAssets(map: PropertyMap, reader: AssetReader): Promise<PropertyMap> {
  const hashed = await hashInside(map, reader)
  return isMap(hashed) ? hashed : map
}

async function hashInside(value: PropertyValue, reader: AssetReader): Promise<PropertyValue> {
  if (!contains(value, special => special.kind === 'asset' || special.kind === 'archive'))
    return value
  if (isList(value)) return Promise.all(value.map(item => hashInside(item, reader)))
  if (isMap(value)) {
    const entries = [...value].map(
      async ([key, item]) => [key, await hashInside(item, reader)] as const,
    )
    return new Map(await Promise.all(entries))
  }
  if (!isSpecial(value)) return value
  if (value.kind === 'secret')
    return { kind: 'secret', value: await hashInside(value.value, reader) }
  if (value.kind === 'output' && value.value !== undefined)
    return { ...value, value: await hashInside(value.value, reader) }
  if (value.kind === 'asset') return hashAsset(value, reader)
  return value.kind === 'archive' ? hashArchive(value, reader) : value
}

/** The asset with the SHA-256 of its contents. Throws RESOURCE_INVALID when they cannot be read. */
export async function hashAsset(asset: Asset, reader: AssetReader): Promise<Asset> {
  if (asset.hash !== '' || asset.source === undefined) return asset
  return { ...asset, hash: sha256(await contentsOf(asset, reader)) }
}

async function contentsOf(asset: Asset, reader: AssetReader): Promise<Uint8Array> {
  const { source } = asset
  if (source === undefined)
    throw error('RESOURCE_INVALID', 'an asset without contents cannot be read')
  if ('text' in source) return Buffer.from(source.text, 'utf8')
  if ('uri' in source) return reader.fetch(source.uri)
  if (await reader.isDirectory(source.path))
    throw error(
      'RESOURCE_INVALID',
      `asset path '${source.path}' is a directory; try using an archive`,
    )
  return reader.readFile(source.path)
}

/** The archive with its hash: of an archive file its bytes, otherwise of the tar of its members (`state.md` 2.5). */
export async function hashArchive(archive: Archive, reader: AssetReader): Promise<Archive> {
  if (archive.hash !== '' || archive.source === undefined) return archive
  const { source } = archive
  const file = 'path' in source ? source.path : 'uri' in source ? source.uri : ''
  if (file !== '' && isArchiveName(file))
    return { ...archive, hash: sha256(await fileBytes(source, reader)) }
  return { ...archive, hash: sha256(tarOf(await membersOf(archive, reader))) }
}

type FileSource =
  | { readonly path: string }
  | { readonly uri: string }
  | { readonly assets: unknown }

function fileBytes(source: FileSource, reader: AssetReader): Promise<Uint8Array> {
  if ('path' in source) return reader.readFile(source.path)
  if ('uri' in source) return reader.fetch(source.uri)
  throw error('RESOURCE_INVALID', 'an archive of assets is no file')
}

/** The files of an archive in the order in which they are hashed. */
export async function membersOf(
  archive: Archive,
  reader: AssetReader,
): Promise<readonly TarMember[]> {
  const { source } = archive
  if (source === undefined) return []
  if ('assets' in source) return assetMembers(source.assets, reader)
  const file = 'path' in source ? source.path : source.uri
  if (isArchiveName(file)) return openArchive(file, await fileBytes(source, reader))
  if (!('path' in source) || !(await reader.isDirectory(source.path)))
    throw error('RESOURCE_INVALID', `'${file}' is neither an archive file nor a directory`)
  const names = await reader.list(source.path)
  return Promise.all(
    names.map(async name => ({ name, data: await reader.readFile(`${source.path}/${name}`) })),
  )
}

async function assetMembers(
  assets: ReadonlyMap<string, Asset | Archive>,
  reader: AssetReader,
): Promise<readonly TarMember[]> {
  const members: TarMember[] = []
  const seen = new Set<string>()
  for (const [name, member] of [...assets].sort(([a], [b]) => compareUtf8(a, b))) {
    const inner =
      member.kind === 'asset'
        ? [{ name, data: await contentsOf(member, reader) }]
        : (await membersOf(member, reader)).map(item => ({
            name: `${name}/${item.name}`,
            data: item.data,
          }))
    for (const item of inner) if (!seen.has(item.name)) members.push(item)
    for (const item of inner) seen.add(item.name)
  }
  return members
}
