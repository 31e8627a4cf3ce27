import { hasCode, messageOf } from '../../errors/error.ts'
import type { PluginDescriptor, PluginHost } from '../provider.ts'
import { readAttachedPort } from './attached-plugins.ts'
import { findPlugin, type PluginLocations } from './find-plugin.ts'

/**
 * Finds a plugin, be it one that a person runs, or has it put into the plugin cache and finds it
 * there. What keeps it from being downloaded is said with the places that were looked at. Throws
 * PLUGIN_CHECKSUM.
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
