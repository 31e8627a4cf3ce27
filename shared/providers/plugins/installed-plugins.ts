import { readAttachedPlugins } from './attached-plugins.ts'
import { listCachedPlugins } from './cached-plugins.ts'
import { type PluginLocations, pluginCacheOf } from './find-plugin.ts'

/**
 * Returns the names of the resource plugins in the plugin cache and of the plugins that the user
 * runs, each once.
 */
export function listAvailablePlugins(locations: PluginLocations): readonly string[] {
  const cachedPlugins = listCachedPlugins(pluginCacheOf(locations)).filter(
    ({ kind }) => kind === 'resource',
  )
  const attachedPlugins = readAttachedPlugins(locations.env).filter(
    ({ port }) => port !== undefined,
  )
  return [...new Set([...cachedPlugins, ...attachedPlugins].map(({ name }) => name))]
}
