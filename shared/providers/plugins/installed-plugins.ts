import { readAttachedPlugins } from './attached-plugins.ts'
import { listCachedPlugins } from './plugin-cache.ts'
import { type PluginLocations, pluginCacheOf } from './find-plugin.ts'

/**
 * Returns the names of available resource plugins, each once: those in the plugin cache, and those
 * that the user runs.
 */
export function listInstalledPlugins(places: PluginLocations): readonly string[] {
  const cached = listCachedPlugins(pluginCacheOf(places)).filter(({ kind }) => kind === 'resource')
  const run = readAttachedPlugins(places.env).filter(({ port }) => port !== undefined)
  return [...new Set([...cached, ...run].map(({ name }) => name))]
}
