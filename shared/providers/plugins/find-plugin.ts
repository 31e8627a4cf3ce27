import { isTruthy } from '../../config/truthy.ts'
import { statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { isExecutable } from '../../programs/executables.ts'
import type { PluginDescriptor } from '../provider.ts'
import { cacheLocationOf } from '../install/git-address.ts'
import { hideCredentials } from '../install/hide-credentials.ts'
import { listCachedVersions, chooseVersion } from './cached-plugins.ts'

/** A plugin in a folder of the project. The version '' matches any requested version. */
export interface ProjectPluginLocation {
  readonly kind: string
  readonly name: string
  readonly version: string
  readonly folder: string
}

/** The locations of plugins. `env` is the user's environment, `home` the user's home folder. */
export interface PluginLocations {
  readonly env: Readonly<Record<string, string>>
  readonly home: string
  /** PATH of the user, without the entries that Antichain adds. */
  readonly path: string
  /** Plugins of the user's project. */
  readonly projectPlugins?: readonly ProjectPluginLocation[]
}

/** Plugins that are part of Antichain: name → file. */
const bundledPlugins = new Map([
  ['pulumi-nodejs', join(import.meta.dirname, 'pulumi-resource-pulumi-nodejs')],
  ['pulumi-python', join(import.meta.dirname, 'pulumi-resource-pulumi-python')],
])

/**
 * Finds the file of a plugin: in the user's project, on PATH (any version), in Antichain itself, or
 * in the plugin cache (docs/spec/provider-protocol.md#lookup-order). Without a file, returns a
 * message with the plugin's name, its version and all searched places.
 */
export function findPlugin(
  plugin: PluginDescriptor,
  locations: PluginLocations,
): { readonly path: string } | { readonly missing: string } {
  const file = `pulumi-${plugin.kind}-${plugin.name}`
  const searchedLocations: string[] = []
  const pluginFolder = findInProject(plugin, locations, searchedLocations)
  if (pluginFolder !== undefined) return { path: join(pluginFolder, file) }
  const pathFile = findPluginOnPath(file, locations, searchedLocations)
  if (pathFile !== undefined) return { path: pathFile }
  const bundledFile = bundledPlugins.get(plugin.name)
  if (bundledFile !== undefined) return { path: bundledFile }
  const cachedFile = findInCache(plugin, locations, searchedLocations)
  if (cachedFile !== undefined) return { path: cachedFile }
  const versionText = plugin.version === '' ? '' : ` at version ${plugin.version}`
  const addressText =
    plugin.downloadUrl === ''
      ? ''
      : `; its download address is ${hideCredentials(plugin.downloadUrl)}`
  return {
    missing: `no plugin '${file}'${versionText}: looked at ${searchedLocations.join('; ')}${addressText}`,
  }
}

/** Returns the folder of a plugin of the user's project. */
function findInProject(
  { kind, name, version }: PluginDescriptor,
  { projectPlugins = [] }: PluginLocations,
  searchedLocations: string[],
): string | undefined {
  for (const candidate of projectPlugins) {
    if (candidate.kind !== kind || candidate.name !== name) continue
    const isMatch = version === '' || candidate.version === '' || candidate.version === version
    if (isMatch) return candidate.folder
    searchedLocations.push(`the project's own, with version ${candidate.version}`)
  }
  return undefined
}

function findPluginOnPath(
  file: string,
  locations: PluginLocations,
  searchedLocations: string[],
): string | undefined {
  if (isTruthy(locations.env['PULUMI_IGNORE_AMBIENT_PLUGINS'])) {
    searchedLocations.push('not PATH, because PULUMI_IGNORE_AMBIENT_PLUGINS is set')
    return undefined
  }
  const folders = locations.path.split(delimiter).filter(folder => folder !== '')
  for (const folder of folders) {
    const path = join(folder, file)
    if (isExecutable(path)) return path
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true)
      searchedLocations.push(`${path}, which is not executable`)
  }
  searchedLocations.push(
    folders.length === 0 ? 'PATH, which is empty' : `PATH (${folders.join(delimiter)})`,
  )
  return undefined
}

/** Returns the folder of the plugin cache. */
export function pluginCacheOf({ env, home }: Pick<PluginLocations, 'env' | 'home'>): string {
  const root = env['PULUMI_HOME'] ?? ''
  return join(root === '' ? join(home, '.pulumi') : root, 'plugins')
}

function findInCache(
  plugin: PluginDescriptor,
  locations: PluginLocations,
  searchedLocations: string[],
): string | undefined {
  const cache = pluginCacheOf(locations)
  const { name, folder } = cacheLocationOf(plugin)
  const installed = listCachedVersions(cache, { kind: plugin.kind, name })
  const acceptsNewer = (locations.env['PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH'] ?? '') !== ''
  const match = chooseVersion(installed, plugin.version, acceptsNewer)
  if (match !== undefined) return join(match.folder, folder, `pulumi-${plugin.kind}-${plugin.name}`)
  const versions = installed.map(entry => entry.version).join(', ')
  searchedLocations.push(versions === '' ? cache : `${cache}, which has only ${versions}`)
  return undefined
}
