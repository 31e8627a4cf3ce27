import { type Dirent, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import semver from 'semver'

/** A completely installed plugin in the cache. */
export interface CachedPlugin {
  readonly folder: string
  readonly version: string
}

const folderNamePattern =
  /^(?<kind>[a-z]+)-(?<name>[a-zA-Z0-9-][a-zA-Z0-9-_.]*[a-zA-Z0-9])-v(?<version>.*)$/

/** A completely installed plugin in the cache, with its kind and name. */
export interface NamedCachedPlugin extends CachedPlugin {
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
export function listCachedPlugins(cache: string): NamedCachedPlugin[] {
  const plugins: NamedCachedPlugin[] = []
  for (const entry of readFolderEntries(cache)) {
    const groups = folderNamePattern.exec(entry.name)?.groups
    if (groups === undefined) continue
    const { kind = '', name = '', version: versionText = '' } = groups
    const version = semver.valid(versionText)
    const folder = join(cache, entry.name)
    if (version === null || /\.tmp\d+$/.test(entry.name) || !entry.isDirectory()) continue
    if (existsSync(`${folder}.partial`)) continue
    plugins.push({ folder, kind, name, version: versionText })
  }
  return plugins
}

function readFolderEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    return []
  }
}

/**
 * Chooses the installed version for a request
 * (docs/spec/provider-protocol.md#version-selection-in-the-cache). The candidates are the
 * versions that equal the requested one, apart from build metadata. With `acceptsNewer`, newer
 * versions are candidates too. Without a requested version, all versions are candidates. The newest
 * candidate is chosen, but stable versions come before pre-releases.
 */
export function chooseVersion(
  installed: readonly CachedPlugin[],
  requestedVersion: string,
  acceptsNewer: boolean,
): CachedPlugin | undefined {
  const version = semver.parse(requestedVersion)
  const candidates = installed.filter(({ version: installedVersion }) => {
    if (requestedVersion === '') return true
    if (version === null) return false
    return acceptsNewer
      ? semver.gte(installedVersion, version)
      : semver.eq(installedVersion, version)
  })
  return candidates.sort((a, b) => stabilityOf(b) - stabilityOf(a) || compareVersions(b, a))[0]
}

function stabilityOf(plugin: CachedPlugin): number {
  return semver.prerelease(plugin.version) === null ? 1 : 0
}

function compareVersions(a: CachedPlugin, b: CachedPlugin): number {
  return semver.compareBuild(a.version, b.version)
}
