import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { PluginStorePort } from '../../ports/plugins.ts'
import { cacheLocationOf } from '../../providers/install/git-address.ts'
import type { PluginDescriptor } from '../../providers/provider.ts'
import { unpackArchive } from '../programs/unpack-archive.ts'

/** Installs a plugin in a plugin cache. Returns false when it is not available. */
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
  const fetching = new Map<string, Promise<boolean>>()
  const fetchOne: FetchPlugin = async plugin => {
    const { kind, version } = plugin
    const { name } = cacheLocationOf(plugin)
    const { home, os, arch } = target
    const found = await store.get({ kind, name, version, os, arch })
    if (found === undefined) return false
    const cache = join(home, '.pulumi', 'plugins')
    const place = join(cache, `${kind}-${name}-v${found.version}`)
    if (existsSync(place)) return true
    mkdirSync(cache, { recursive: true, mode: 0o700 })
    const making = mkdtempSync(join(cache, 'making-'))
    try {
      await unpackArchive(found.bytes, { into: making, name: `${kind} plugin ${name}` })
      renameSync(making, place)
    } catch (thrown) {
      rmSync(making, { recursive: true, force: true })
      // Another process may have installed it.
      if (!existsSync(place)) throw thrown
    }
    return true
  }
  return plugin => {
    const key = `${plugin.kind} ${cacheLocationOf(plugin).name} ${plugin.version}`
    const known = fetching.get(key)
    if (known !== undefined) return known
    const work = fetchOne(plugin)
    fetching.set(key, work)
    // A plugin that is missing now may be published later.
    work.then(
      isThere => void (isThere || fetching.delete(key)),
      () => void fetching.delete(key),
    )
    return work
  }
}
