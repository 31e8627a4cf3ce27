import { attachedPlugins } from './attached.ts'
import { allCached } from './cache.ts'
import { type PluginPlaces, pluginCache } from './find.ts'

/**
 * The names of resource plugins that are there: in the plugin cache, and those that a person runs
 * already. Each once.
 */
export function installedPlugins(places: PluginPlaces): readonly string[] {
  const cached = allCached(pluginCache(places)).filter(({ kind }) => kind === 'resource')
  const run = attachedPlugins(places.env).filter(({ port }) => port !== undefined)
  return [...new Set([...cached, ...run].map(({ name }) => name))]
}
