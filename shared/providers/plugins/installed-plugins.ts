import { readAttachedPlugins } from './attached-plugins.ts'
import { listCachedPlugins } from './plugin-cache.ts'
import { type PluginLocations, pluginCacheOf } from './find-plugin.ts'

/**
 * The names of resource plugins that are there: in the plugin cache, and those that a person runs
 * already. Each once.
 */
export function listInstalledPlugins(places: PluginLocations): readonly string[] {
  const cached = listCachedPlugins(pluginCacheOf(places)).filter(({ kind }) => kind === 'resource')
  const run = readAttachedPlugins(places.env).filter(({ port }) => port !== undefined)
  return [...new Set([...cached, ...run].map(({ name }) => name))]
}
