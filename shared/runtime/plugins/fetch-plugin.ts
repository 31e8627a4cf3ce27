import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { PluginStorePort } from '../../ports/plugins.ts'
import { cacheLocationOf } from '../../providers/install/git-address.ts'
import type { PluginDescriptor } from '../../providers/provider.ts'
import {
  packagePlatformOf,
  unpackedFolderOf,
} from '../../providers/terraform/install/package-folders.ts'
import {
  formatStoredName,
  parseSourceAddress,
} from '../../providers/terraform/install/source-address.ts'
import { terraformCacheOf } from '../../providers/terraform/install/terraform-cache.ts'
import { unpackPackage } from '../../providers/terraform/install/unpack-package.ts'
import { unpackArchive } from '../programs/unpack-archive.ts'

/** The kind of plugin that names Terraform providers, in the store and on the command line. */
export const terraformKind = 'terraform'

/** Installs a plugin in a plugin cache. Returns false when the plugin is not available. */
export type FetchPlugin = (plugin: PluginDescriptor) => Promise<boolean>

/**
 * Creates the installer of plugins from the store into the plugin cache below `home`, in Pulumi's
 * layout. A plugin of the kind `terraform` has its address as name, and goes to the cache of
 * Terraform providers. Concurrent requests share one installation, which is complete or absent.
 * Throws PLUGIN_CHECKSUM and ARCHIVE_*.
 */
export function createPluginFetcher(
  store: PluginStorePort,
  target: { readonly home: string; readonly os: string; readonly arch: string },
): FetchPlugin {
  const pendingFetches = new Map<string, Promise<boolean>>()
  const installPlugin: FetchPlugin = async plugin => {
    if (plugin.kind === terraformKind) return fetchTerraformPackage(plugin, store, target)
    const { kind, version } = plugin
    const { name } = cacheLocationOf(plugin)
    const { home, os, arch } = target
    const storedPlugin = await store.get({ kind, name, version, os, arch })
    if (storedPlugin === undefined) return false
    const cache = join(home, '.pulumi', 'plugins')
    const pluginFolder = join(cache, `${kind}-${name}-v${storedPlugin.version}`)
    if (existsSync(pluginFolder)) return true
    mkdirSync(cache, { recursive: true, mode: 0o700 })
    const temporaryFolder = mkdtempSync(join(cache, 'unpacking-'))
    try {
      await unpackArchive(storedPlugin.bytes, {
        targetFolder: temporaryFolder,
        name: `${kind} plugin ${name}`,
      })
      renameSync(temporaryFolder, pluginFolder)
    } catch (thrown) {
      rmSync(temporaryFolder, { recursive: true, force: true })
      // Another process may have installed the plugin.
      if (!existsSync(pluginFolder)) throw thrown
    }
    return true
  }
  return plugin => {
    const key = `${plugin.kind} ${cacheLocationOf(plugin).name} ${plugin.version}`
    const pendingFetch = pendingFetches.get(key)
    if (pendingFetch !== undefined) return pendingFetch
    const newFetch = installPlugin(plugin)
    pendingFetches.set(key, newFetch)
    // A plugin that is missing now may be published later.
    newFetch.then(
      isInstalled => void (isInstalled || pendingFetches.delete(key)),
      () => void pendingFetches.delete(key),
    )
    return newFetch
  }
}

/** Installs a Terraform provider, whose archive in the store is the zip file of its release. */
async function fetchTerraformPackage(
  { name: source, version }: PluginDescriptor,
  store: PluginStorePort,
  { home, os, arch }: { readonly home: string; readonly os: string; readonly arch: string },
): Promise<boolean> {
  const address = parseSourceAddress(source)
  const name = formatStoredName(address)
  const storedPackage = await store.get({ kind: terraformKind, name, version, os, arch })
  if (storedPackage === undefined) return false
  const cache = terraformCacheOf({ env: {}, home })
  const platform = packagePlatformOf(os, arch)
  const target = unpackedFolderOf(cache, address, { ...platform, version: storedPackage.version })
  if (existsSync(target)) return true
  mkdirSync(dirname(target), { recursive: true, mode: 0o700 })
  const scratchFolder = mkdtempSync(join(cache, '.partial-'))
  try {
    const file = join(scratchFolder, 'package.zip')
    const unpackedFolder = join(scratchFolder, 'package')
    writeFileSync(file, storedPackage.bytes)
    mkdirSync(unpackedFolder, { mode: 0o700 })
    await unpackPackage(file, unpackedFolder, `${source} ${storedPackage.version}`)
    renameSync(unpackedFolder, target)
  } catch (thrown) {
    // Another process may have installed the package.
    if (!existsSync(target)) throw thrown
  } finally {
    rmSync(scratchFolder, { recursive: true, force: true })
  }
  return true
}
