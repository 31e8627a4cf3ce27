import { hasCode, messageOf } from '../../errors/error.ts'
import type { PluginDescriptor, PluginHost } from '../provider.ts'
import { readAttachedPort } from './attached-plugins.ts'
import { findPlugin, type PluginLocations } from './find-plugin.ts'

/**
 * Finds a plugin that the user runs, or the file of a plugin. Installs a missing plugin in the
 * plugin cache. PLUGIN_DOWNLOAD and PLUGIN_ADDRESS are not thrown: `missing` then has the searched
 * places and the message of the error. Throws the other errors of `installPlugin`, and
 * PLUGIN_FAILED of `readAttachedPort`.
 */
export async function obtainPlugin(
  plugin: PluginDescriptor,
  deps: PluginLocations & {
    readonly install?: (plugin: PluginDescriptor) => Promise<boolean>
  },
): ReturnType<PluginHost['obtain']> {
  const port = readAttachedPort(deps.env, plugin.name)
  if (port !== undefined) return { path: `127.0.0.1:${port}` }
  const lookup = findPlugin(plugin, deps)
  if (!('missing' in lookup) || deps.install === undefined) return lookup
  try {
    return (await deps.install(plugin)) ? findPlugin(plugin, deps) : lookup
  } catch (thrown) {
    if (!hasCode(thrown, 'PLUGIN_DOWNLOAD') && !hasCode(thrown, 'PLUGIN_ADDRESS')) throw thrown
    return { missing: `${lookup.missing}; ${messageOf(thrown)}` }
  }
}
