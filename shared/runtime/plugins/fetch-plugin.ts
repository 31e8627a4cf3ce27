import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginStorePort } from '../../ports/plugins.ts'
import { cacheLocationOf } from '../../providers/install/git-address.ts'
import type { PluginDescriptor } from '../../providers/provider.ts'
import { unpackArchive } from '../programs/unpack-archive.ts'

/** Installs a plugin in a plugin cache. Returns false when the plugin is not available. */
export type FetchPlugin = (plugin: PluginDescriptor) => Promise<boolean>

/**
 * Creates the installer of plugins from the store into the plugin cache below `home`, in Pulumi's
 * layout. Concurrent requests share one installation, which is complete or absent. Throws
 * PLUGIN_CHECKSUM and ARCHIVE_*.
 */
export function createPluginFetcher(
  store: PluginStorePort,
  target: { readonly home: string; readonly os: string; readonly arch: string },
): FetchPlugin {
  const pendingFetches = new Map<string, Promise<boolean>>()
  const installPlugin: FetchPlugin = async plugin => {
    const { kind, version } = plugin
    const { name } = cacheLocationOf(plugin)
    const { home, os, arch } = target
    const storedPlugin = await store.get({ kind, name, version, os, arch })
    if (storedPlugin === undefined) return false
    const cache = join(home, '.pulumi', 'plugins')
    const pluginFolder = join(cache, `${kind}-${name}-v${storedPlugin.version}`)
    if (existsSync(pluginFolder)) return true
    mkdirSync(cache, { recursive: true, mode: 0o700 })
    const temporaryFolder = mkdtempSync(join(cache, 'unpacking-'))
    try {
      await unpackArchive(storedPlugin.bytes, {
        targetFolder: temporaryFolder,
        name: `${kind} plugin ${name}`,
      })
      renameSync(temporaryFolder, pluginFolder)
    } catch (thrown) {
      rmSync(temporaryFolder, { recursive: true, force: true })
      // Another process may have installed the plugin.
      if (!existsSync(pluginFolder)) throw thrown
    }
    return true
  }
  return plugin => {
    const key = `${plugin.kind} ${cacheLocationOf(plugin).name} ${plugin.version}`
    const pendingFetch = pendingFetches.get(key)
    if (pendingFetch !== undefined) return pendingFetch
    const newFetch = installPlugin(plugin)
    pendingFetches.set(key, newFetch)
    // A plugin that is missing now may be published later.
    newFetch.then(
      isInstalled => void (isInstalled || pendingFetches.delete(key)),
      () => void pendingFetches.delete(key),
    )
    return newFetch
  }
}
