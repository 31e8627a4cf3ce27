import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import semver from 'semver'
import { pluginCacheOf, type PluginLocations } from '../../plugins/find-plugin.ts'

/** An installed version of a provider. */
export interface InstalledProvider {
  /** The full address. */
  readonly source: string
  readonly version: string
  /** The folder of the version, with the packages of its platforms. */
  readonly folder: string
}

/**
 * Returns the folder of installed Terraform providers, which is also that of Pulumi's bridge.
 */
export function terraformCacheOf(locations: Pick<PluginLocations, 'env' | 'home'>): string {
  const folder = locations.env['PULUMI_DYNAMIC_TF_PLUGIN_CACHE_DIR'] ?? ''
  return folder === '' ? join(dirname(pluginCacheOf(locations)), 'dynamic_tf_plugins') : folder
}

/** Lists the installed versions below a cache folder. */
export function listInstalledProviders(cacheFolder: string): readonly InstalledProvider[] {
  // The host, the namespace and the type of an address are one level of folders each.
  const addressFolders = ['host', 'namespace', 'type'].reduce<readonly string[]>(
    paths =>
      paths.flatMap(path => listFolders(join(cacheFolder, path)).map(name => join(path, name))),
    [''],
  )
  return addressFolders.flatMap(path =>
    listFolders(join(cacheFolder, path))
      .filter(name => semver.valid(name) !== null)
      .filter(version => listFolders(join(cacheFolder, path, version)).length > 0)
      .map(version => ({
        source: path.replaceAll('\\', '/'),
        version,
        folder: join(cacheFolder, path, version),
      })),
  )
}

function listFolders(path: string): readonly string[] {
  try {
    return readdirSync(path, { withFileTypes: true })
      .filter(entry => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
  } catch {
    return []
  }
}
