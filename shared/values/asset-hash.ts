import { createHash } from 'node:crypto'
import { posix } from 'node:path'
import { createError } from '../errors/error.ts'
import { compareUtf8 } from './go-json.ts'
import { createTarBlocks, tarEnd, type ArchiveMember } from './tar-blocks.ts'
import type { Archive, Asset, PropertyMap, PropertyValue } from './value.ts'
import { containsSpecial } from './special-values.ts'
import { isList, isMap, isSpecial } from './value.ts'

/** Access to the contents of assets. Paths are relative to the program's folder. */
export interface AssetReader {
  readonly readFile: (path: string) => Promise<Uint8Array>
  readonly isDirectory: (path: string) => Promise<boolean>
  /**
   * Lists the files below a folder, as paths relative to that folder with `/` separators, in the
   * order of docs/spec/property-values.md#assets-and-archives.
   */
  readonly listFiles: (path: string) => Promise<readonly string[]>
  /** Fetches the contents of an `http(s):` or `file:` address. */
  readonly fetch: (uri: string) => Promise<Uint8Array>
}

const hashBytes = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/**
 * Fills in the missing hashes of all assets and archives inside a map. Returns the same map when it
 * contains no assets or archives. Throws RESOURCE_INVALID when contents are unreadable.
 */
export async function hashAssets(map: PropertyMap, reader: AssetReader): Promise<PropertyMap> {
  const hashed = await hashAssetsInValue(map, reader)
  return isMap(hashed) ? hashed : map
}

async function hashAssetsInValue(
  value: PropertyValue,
  reader: AssetReader,
): Promise<PropertyValue> {
  if (!containsSpecial(value, special => special.kind === 'asset' || special.kind === 'archive'))
    return value
  if (isList(value)) return Promise.all(value.map(item => hashAssetsInValue(item, reader)))
  if (isMap(value)) {
    const entries = [...value].map(
      async ([key, item]) => [key, await hashAssetsInValue(item, reader)] as const,
    )
    return new Map(await Promise.all(entries))
  }
  if (!isSpecial(value)) return value
  if (value.kind === 'secret')
    return { kind: 'secret', value: await hashAssetsInValue(value.value, reader) }
  if (value.kind === 'output' && value.value !== undefined)
    return { ...value, value: await hashAssetsInValue(value.value, reader) }
  if (value.kind === 'asset' || value.kind === 'archive') return hashAssetOrArchive(value, reader)
  return value
}

/**
 * Fills in the SHA-256 of an asset's contents, unless the asset has a hash or no source. Throws
 * RESOURCE_INVALID for a folder, and the errors of `reader`.
 */
export async function hashAsset(asset: Asset, reader: AssetReader): Promise<Asset> {
  if (asset.hash !== '' || asset.source === undefined) return asset
  return { ...asset, hash: hashBytes(await readContents(asset, reader)) }
}

async function readContents(asset: Asset, reader: AssetReader): Promise<Uint8Array> {
  const { source } = asset
  if (source === undefined)
    throw createError('RESOURCE_INVALID', 'an asset without contents cannot be read')
  if ('text' in source) return Buffer.from(source.text, 'utf8')
  if ('uri' in source) return reader.fetch(source.uri)
  if (await reader.isDirectory(source.path))
    throw createError(
      'RESOURCE_INVALID',
      `asset path '${source.path}' is a directory; try using an archive`,
    )
  return reader.readFile(source.path)
}

/**
 * Fills in the missing hashes of an archive and of its named members. The hash of an archive file
 * covers its bytes. The hash of any other archive covers the tar of its members
 * (docs/spec/property-values.md#assets-and-archives). Throws RESOURCE_INVALID.
 */
export async function hashArchive(archive: Archive, reader: AssetReader): Promise<Archive> {
  const { source } = archive
  if (source === undefined) return archive
  const hash =
    archive.hash === '' ? await hashArchiveContents(archive, source, reader) : archive.hash
  if (!('assets' in source)) return { ...archive, hash }
  return { ...archive, hash, source: { assets: await hashNamedMembers(source.assets, reader) } }
}

async function hashArchiveContents(
  archive: Archive,
  source: NonNullable<Archive['source']>,
  reader: AssetReader,
): Promise<string> {
  if ('assets' in source || !isArchiveName(archivePathOf(source)))
    return hashMembers(readMembers(archive, reader))
  return hashBytes(await readSource(source, reader))
}

/** Fills in the hashes of the named members, as Pulumi does. */
async function hashNamedMembers(
  assets: ReadonlyMap<string, Asset | Archive>,
  reader: AssetReader,
): Promise<ReadonlyMap<string, Asset | Archive>> {
  const hashedMembers = new Map<string, Asset | Archive>()
  for (const [key, member] of assets)
    hashedMembers.set(key, await hashAssetOrArchive(member, reader))
  return hashedMembers
}

function hashAssetOrArchive(value: Asset | Archive, reader: AssetReader): Promise<Asset | Archive> {
  return value.kind === 'asset' ? hashAsset(value, reader) : hashArchive(value, reader)
}

/**
 * Returns the hash of the tar of some members. Hashes one member at a time, so that a folder need
 * not fit into memory. Of several members with the same name, only the first one counts.
 */
async function hashMembers(members: AsyncIterable<ArchiveMember>): Promise<string> {
  const hash = createHash('sha256')
  const hashedNames = new Set<string>()
  for await (const member of members) {
    if (hashedNames.has(member.name)) continue
    hashedNames.add(member.name)
    for (const block of createTarBlocks(member)) hash.update(block)
  }
  return hash.update(tarEnd).digest('hex')
}

type FileSource = { readonly path: string } | { readonly uri: string }

/**
 * Returns the path whose extension identifies an archive file. For an address, the query is
 * removed.
 */
function archivePathOf(source: FileSource): string {
  if ('path' in source) return source.path
  return URL.canParse(source.uri) ? new URL(source.uri).pathname : source.uri
}

function readSource(source: FileSource, reader: AssetReader): Promise<Uint8Array> {
  return 'path' in source ? reader.readFile(source.path) : reader.fetch(source.uri)
}

/** Yields the files of an archive in the order of hashing. Throws RESOURCE_INVALID. */
async function* readMembers(
  archive: Archive,
  reader: AssetReader,
): AsyncGenerator<ArchiveMember, void> {
  const { source } = archive
  if (source === undefined)
    throw createError('RESOURCE_INVALID', 'an archive without contents cannot be read')
  if ('assets' in source) {
    yield* readAssetMembers(source.assets, reader)
    return
  }
  const name = archivePathOf(source)
  if (isArchiveName(name)) {
    const { openArchive } = await import('./archive-members.ts')
    yield* await openArchive(name, await readSource(source, reader))
    return
  }
  if (!('path' in source) || !(await reader.isDirectory(source.path)))
    throw createError('RESOURCE_INVALID', `'${name}' is neither an archive file nor a directory`)
  for (const relativePath of await reader.listFiles(source.path))
    yield { name: relativePath, data: await reader.readFile(`${source.path}/${relativePath}`) }
}

/** Yields each asset under its key, and the members of each archive under `<key>/<member name>`. */
async function* readAssetMembers(
  assets: ReadonlyMap<string, Asset | Archive>,
  reader: AssetReader,
): AsyncGenerator<ArchiveMember, void> {
  for (const [key, member] of [...assets].sort(([a], [b]) => compareUtf8(a, b))) {
    if (member.kind === 'asset') yield { name: key, data: await readContents(member, reader) }
    else
      for await (const { name, data } of readMembers(member, reader))
        yield { name: posix.join(key, name), data }
  }
}

/** Reports whether the name has the extension of an archive file that `openArchive` can read. */
function isArchiveName(name: string): boolean {
  return /\.(tar|tgz|tar\.gz|zip|jar)$/.test(name)
}
