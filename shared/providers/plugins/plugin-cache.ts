import { type Dirent, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'

/** A completely installed plugin in the cache. */
export interface CachedPlugin {
  readonly folder: string
  readonly version: string
}

const folderName =
  /^(?<kind>[a-z]+)-(?<name>[a-zA-Z0-9-][a-zA-Z0-9-_.]*[a-zA-Z0-9])-v(?<version>.*)$/

/** A completely installed plugin of any kind in the cache. */
export interface CachedEntry extends CachedPlugin {
  readonly kind: string
  readonly name: string
}

/** Returns the installed versions of one plugin in a cache folder. */
export function listCachedVersions(
  cache: string,
  plugin: { kind: string; name: string },
): CachedPlugin[] {
  return listCachedPlugins(cache).filter(
    ({ kind, name }) => kind === plugin.kind && name === plugin.name,
  )
}

/** Returns the installed plugins of a cache folder. Incomplete and unknown entries are left out. */
export function listCachedPlugins(cache: string): CachedEntry[] {
  const found: CachedEntry[] = []
  for (const entry of readEntries(cache)) {
    const parts = folderName.exec(entry.name)?.groups
    if (parts === undefined) continue
    const { kind = '', name = '', version: text = '' } = parts
    const version = semver.valid(text)
    const folder = join(cache, entry.name)
    if (version === null || /\.tmp\d+$/.test(entry.name) || !entry.isDirectory()) continue
    if (existsSync(`${folder}.partial`)) continue
    found.push({ folder, kind, name, version: text })
  }
  return found
}

function readEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/**
 * Chooses the installed version for a request
 * (docs/spec/provider-protocol.md#version-selection-in-the-cache): the equal one, ignoring build
 * metadata. Without a version, it is the newest, and every stable version comes before every
 * pre-release. `atLeast`: the newest that is not older.
 */
export function chooseVersion(
  installed: readonly CachedPlugin[],
  wanted: string,
  atLeast: boolean,
): CachedPlugin | undefined {
  const version = semver.parse(wanted)
  const fitting = installed.filter(({ version: each }) => {
    if (wanted === '') return true
    if (version === null) return false
    return atLeast ? semver.gte(each, version) : semver.eq(each, version)
  })
  return fitting.sort((a, b) => stabilityOf(b) - stabilityOf(a) || compare(b, a))[0]
}

function stabilityOf(plugin: CachedPlugin): number {
  return semver.prerelease(plugin.version) === null ? 1 : 0
}

function compare(a: CachedPlugin, b: CachedPlugin): number {
  return semver.compareBuild(a.version, b.version)
}
