import { allCached } from './cache.ts'
import { type PluginPlaces, pluginCache } from './find.ts'

/**
 * The names of resource plugins that are there: in the plugin cache, and those that a person runs
 * already. Each once.
 */
export function installedPlugins(places: PluginPlaces): readonly string[] {
  const cached = allCached(pluginCache(places)).filter(({ kind }) => kind === 'resource')
  const run = (places.env['PULUMI_DEBUG_PROVIDERS'] ?? '').split(',').flatMap(pair => {
    const [name = '', port] = pair.split(':')
    return port === undefined ? [] : [name.trim()]
  })
  return [...new Set([...cached.map(({ name }) => name), ...run])]
}
