import { isTruthy } from '../../config/truthy.ts'
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { PluginDescriptor } from '../provider.ts'
import { cacheLocationOf } from '../install/git-address.ts'
import { hideCredentials } from '../install/hide-credentials.ts'
import { listCachedVersions, chooseVersion } from './plugin-cache.ts'

/** A plugin in a folder of the project. `version`: '' = matches any request. */
export interface OwnPlugin {
  readonly kind: string
  readonly name: string
  readonly version: string
  readonly folder: string
}

/** The places of plugins. `env` is the user's environment, `home` the user's home folder. */
export interface PluginLocations {
  readonly env: Readonly<Record<string, string>>
  readonly home: string
  /** PATH of the user, without the entries that this project adds. */
  readonly path: string
  /** Plugins of the user's project. */
  readonly own?: readonly OwnPlugin[]
}

/** Plugins that are part of this project. */
const bundled = new Map([
  ['pulumi-nodejs', join(import.meta.dirname, 'pulumi-resource-pulumi-nodejs')],
  ['pulumi-python', join(import.meta.dirname, 'pulumi-resource-pulumi-python')],
])

/** Reports whether a file exists and is executable. */
export function isExecutableFile(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/**
 * Finds the file of a plugin: the project's own, on PATH (any version), bundled, or in the plugin
 * cache (docs/spec/provider-protocol.md#lookup-order). Otherwise returns a message with its name,
 * its version and all searched places.
 */
export function findPlugin(
  plugin: PluginDescriptor,
  places: PluginLocations,
): { readonly path: string } | { readonly missing: string } {
  const file = `pulumi-${plugin.kind}-${plugin.name}`
  const looked: string[] = []
  const owned = findProjectOwn(plugin, places, looked)
  if (owned !== undefined) return { path: join(owned, file) }
  const onPath = findOnPath(file, places, looked)
  if (onPath !== undefined) return { path: onPath }
  const own = bundled.get(plugin.name)
  if (own !== undefined) return { path: own }
  const cached = findInCache(plugin, places, looked)
  if (cached !== undefined) return { path: cached }
  const version = plugin.version === '' ? '' : ` at version ${plugin.version}`
  const from =
    plugin.downloadUrl === ''
      ? ''
      : `; its download address is ${hideCredentials(plugin.downloadUrl)}`
  return { missing: `no plugin '${file}'${version}: looked at ${looked.join('; ')}${from}` }
}

/** Returns the folder of a plugin of the user's project. */
function findProjectOwn(
  { kind, name, version }: PluginDescriptor,
  { own = [] }: PluginLocations,
  looked: string[],
): string | undefined {
  for (const one of own) {
    if (one.kind !== kind || one.name !== name) continue
    const isWanted = version === '' || one.version === '' || one.version === version
    if (isWanted) return one.folder
    looked.push(`the project's own, with version ${one.version}`)
  }
  return undefined
}

function findOnPath(file: string, places: PluginLocations, looked: string[]): string | undefined {
  if (isTruthy(places.env['PULUMI_IGNORE_AMBIENT_PLUGINS'])) {
    looked.push('not PATH, because PULUMI_IGNORE_AMBIENT_PLUGINS is set')
    return undefined
  }
  const folders = places.path.split(delimiter).filter(folder => folder !== '')
  for (const folder of folders) {
    const path = join(folder, file)
    if (isExecutableFile(path)) return path
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true)
      looked.push(`${path}, which is not executable`)
  }
  looked.push(folders.length === 0 ? 'PATH, which is empty' : `PATH (${folders.join(delimiter)})`)
  return undefined
}

/** Returns the folder of the plugin cache. */
export function pluginCacheOf({ env, home }: Pick<PluginLocations, 'env' | 'home'>): string {
  const root = env['PULUMI_HOME'] ?? ''
  return join(root === '' ? join(home, '.pulumi') : root, 'plugins')
}

function findInCache(
  plugin: PluginDescriptor,
  places: PluginLocations,
  looked: string[],
): string | undefined {
  const cache = pluginCacheOf(places)
  const { name, folder } = cacheLocationOf(plugin)
  const installed = listCachedVersions(cache, { kind: plugin.kind, name })
  const atLeast = (places.env['PULUMI_ENABLE_LEGACY_PLUGIN_SEARCH'] ?? '') !== ''
  const chosen = chooseVersion(installed, plugin.version, atLeast)
  if (chosen !== undefined)
    return join(chosen.folder, folder, `pulumi-${plugin.kind}-${plugin.name}`)
  const versions = installed.map(each => each.version).join(', ')
  looked.push(versions === '' ? cache : `${cache}, which has only ${versions}`)
  return undefined
}
