import { isTruthy } from '../../config/truthy.ts'
import type { PluginDescriptor } from '../provider.ts'
import { cacheLocationOf } from './git-address.ts'
import type { InstallDeps, installPlugin } from './install-plugin.ts'

/**
 * Creates the installer of missing plugins. All requests for one version of a plugin share one
 * installation and its error. The installer returns false when
 * PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION forbids installations. It throws the errors of
 * `installPlugin`.
 */
export function createPluginInstaller(
  deps: InstallDeps,
): (plugin: PluginDescriptor) => Promise<boolean> {
  const installations = new Map<string, Promise<boolean>>()
  return plugin => {
    if (isTruthy(deps.env['PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION']))
      return Promise.resolve(false)
    const { kind, name, version, downloadUrl, checksums = new Map<string, string>() } = plugin
    const key = `${kind} ${cacheLocationOf(plugin).name} ${version}`
    const earlierInstallation = installations.get(key)
    if (earlierInstallation !== undefined) return earlierInstallation
    const request = { kind, name, version, downloadUrl, checksums }
    const installation = loadAndInstall({ plugin: request }, deps)
    installations.set(key, installation)
    return installation
  }
}

/** Installs a plugin. Loads the code for it only now, because most deployments install nothing. */
async function loadAndInstall(...args: Parameters<typeof installPlugin>): Promise<boolean> {
  const module = await import('./install-plugin.ts')
  await module.installPlugin(...args)
  return true
}
