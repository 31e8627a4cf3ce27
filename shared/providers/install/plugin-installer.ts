import { isTruthy } from '../../config/truthy.ts'
import type { PluginDescriptor } from '../provider.ts'
import { cacheLocationOf } from './git-address.ts'
import { installPlugin, type InstallDeps } from './install-plugin.ts'

/**
 * Creates the installer of missing plugins. Concurrent requests for a plugin share one
 * installation. Returns false when PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION forbids it. Throws
 * the errors of `installPlugin`.
 */
export function createPluginInstaller(
  deps: InstallDeps,
): (plugin: PluginDescriptor) => Promise<boolean> {
  const running = new Map<string, Promise<boolean>>()
  return plugin => {
    if (isTruthy(deps.env['PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION']))
      return Promise.resolve(false)
    const { kind, name, version, downloadUrl, checksums = new Map<string, string>() } = plugin
    const key = `${kind} ${cacheLocationOf(plugin).name} ${version}`
    const known = running.get(key)
    if (known !== undefined) return known
    const wanted = { kind, name, version, downloadUrl, checksums }
    const work = installPlugin({ plugin: wanted }, deps).then(() => true)
    running.set(key, work)
    return work
  }
}
