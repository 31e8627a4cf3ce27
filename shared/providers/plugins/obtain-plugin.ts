import { hasCode, messageOf } from '../../errors/error.ts'
import type { PluginDescriptor, PluginHost } from '../provider.ts'
import { readAttachedPort } from './attached-plugins.ts'
import { findPlugin, type PluginLocations } from './find-plugin.ts'

/**
 * Finds a plugin, or one that the user runs, and otherwise installs it in the plugin cache. The
 * message of a failed download includes the searched places. Throws PLUGIN_CHECKSUM.
 */
export async function obtainPlugin(
  plugin: PluginDescriptor,
  deps: PluginLocations & {
    readonly fetch?: (plugin: PluginDescriptor) => Promise<boolean>
  },
): ReturnType<PluginHost['obtain']> {
  const port = readAttachedPort(deps.env, plugin.name)
  if (port !== undefined) return { path: `127.0.0.1:${port}` }
  const there = findPlugin(plugin, deps)
  if (!('missing' in there) || deps.fetch === undefined) return there
  try {
    return (await deps.fetch(plugin)) ? findPlugin(plugin, deps) : there
  } catch (thrown) {
    if (!hasCode(thrown, 'PLUGIN_DOWNLOAD') && !hasCode(thrown, 'PLUGIN_ADDRESS')) throw thrown
    return { missing: `${there.missing}; ${messageOf(thrown)}` }
  }
}
