import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createError } from '../../errors/error.ts'
import type { PluginStorePort, StoredPlugin } from '../../ports/plugins.ts'
import { pluginTitleOf } from '../../providers/install/download-plugin.ts'
import { cacheLocationOf } from '../../providers/install/git-address.ts'
import { machineOf } from '../../providers/install/plugin-address.ts'
import type { PluginDescriptor } from '../../providers/provider.ts'
import {
  packagePlatformOf,
  unpackedFolderOf,
} from '../../providers/terraform/install/package-folders.ts'
import { parseSourceAddress } from '../../providers/terraform/install/source-address.ts'
import { terraformCacheOf } from '../../providers/terraform/install/terraform-cache.ts'
import { unpackPackage } from '../../providers/terraform/install/unpack-package.ts'
import { unpackArchive } from '../programs/unpack-stored-archive.ts'
import type { AcquirePlugin } from './acquire-plugin.ts'
import { sourceNameOf, storedNameOf, terraformKind } from './plugin-source-name.ts'

/** Installs a plugin in a plugin cache. Returns false when the plugin is not available. */
export type FetchPlugin = (plugin: PluginDescriptor) => Promise<boolean>

/** The home folder below which plugins are installed, and the platform in Node's names. */
interface FetchTarget {
  readonly home: string
  readonly os: string
  readonly arch: string
}

/**
 * Creates the installer of plugins from the store into the plugin cache below `home`, in Pulumi's
 * layout. A plugin of the kind `terraform` has its address as name, and goes to the cache of
 * Terraform providers. `acquire` downloads a plugin that the store does not have; without it, the
 * plugin is not available. Equal requests share one installation, which is complete or absent.
 * Throws PLUGIN_CHECKSUM, PLUGIN_SOURCE_REFUSED, ARCHIVE_* and the errors of `acquire`.
 */
export function createPluginFetcher(
  store: Pick<PluginStorePort, 'get'>,
  target: FetchTarget,
  acquire?: AcquirePlugin,
): FetchPlugin {
  const pendingFetches = new Map<string, Promise<boolean>>()
  const fetchAndUnpack: FetchPlugin = async plugin => {
    const storedPlugin = await findStored(plugin, { store, target, acquire })
    if (storedPlugin === undefined) return false
    requireSameOrigin(plugin, storedPlugin, target)
    const install = plugin.kind === terraformKind ? installTerraformPackage : installArchive
    await install(plugin, storedPlugin, target)
    return true
  }
  return plugin => {
    const key = requestKeyOf(plugin)
    const pendingFetch = pendingFetches.get(key)
    if (pendingFetch !== undefined) return pendingFetch
    const newFetch = fetchAndUnpack(plugin)
    pendingFetches.set(key, newFetch)
    // A plugin that is missing now may be published later.
    newFetch.then(
      isInstalled => void (isInstalled || pendingFetches.delete(key)),
      () => void pendingFetches.delete(key),
    )
    return newFetch
  }
}

/**
 * Returns a text that only equal requests have. A request of another source or with other checksums
 * gets its own check.
 */
function requestKeyOf({ kind, name, version, downloadUrl, checksums }: PluginDescriptor): string {
  const sortedChecksums = [...(checksums ?? [])].toSorted(([one], [other]) =>
    one < other ? -1 : 1,
  )
  return JSON.stringify([kind, name, version, downloadUrl, sortedChecksums])
}

async function findStored(
  plugin: PluginDescriptor,
  deps: {
    readonly store: Pick<PluginStorePort, 'get'>
    readonly target: FetchTarget
    readonly acquire: AcquirePlugin | undefined
  },
): Promise<StoredPlugin | undefined> {
  const { store, target, acquire } = deps
  const { os, arch } = target
  const find = (version: string): Promise<StoredPlugin | undefined> =>
    store.get({ kind: plugin.kind, name: storedNameOf(plugin), version, os, arch })
  const storedPlugin = await find(plugin.version)
  if (storedPlugin !== undefined || acquire === undefined) return storedPlugin
  return find(await acquire(plugin))
}

/**
 * Throws PLUGIN_SOURCE_REFUSED if the archive comes from another source than the one of the
 * request. Throws PLUGIN_CHECKSUM if it does not have the checksum that the request requires.
 */
function requireSameOrigin(
  plugin: PluginDescriptor,
  { version, bytes, source }: StoredPlugin,
  { os, arch }: FetchTarget,
): void {
  const title = pluginTitleOf({ ...plugin, version })
  const requestedSource = sourceNameOf(plugin)
  if (source !== undefined && source !== requestedSource)
    throw createError(
      'PLUGIN_SOURCE_REFUSED',
      `the installation has the ${title} from ${source}, but the program needs it from ${requestedSource}`,
      { hint: 'Use the plugin of one source, or give the plugin another name or version.' },
    )
  const machine = machineOf(os, arch)
  const expectedHash = plugin.checksums?.get(`${machine.os}-${machine.arch}`)?.toLowerCase()
  if (expectedHash === undefined) return
  const actualHash = createHash('sha256').update(bytes).digest('hex')
  if (actualHash === expectedHash) return
  throw createError(
    'PLUGIN_CHECKSUM',
    `the stored archive of the ${title} has the checksum ${actualHash}, but the program requires ${expectedHash}`,
  )
}

async function installArchive(
  plugin: PluginDescriptor,
  { version, bytes }: StoredPlugin,
  { home }: FetchTarget,
): Promise<void> {
  const { name } = cacheLocationOf(plugin)
  const cache = join(home, '.pulumi', 'plugins')
  const pluginFolder = join(cache, `${plugin.kind}-${name}-v${version}`)
  if (existsSync(pluginFolder)) return
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const temporaryFolder = mkdtempSync(join(cache, 'unpacking-'))
  try {
    await unpackArchive(bytes, {
      targetFolder: temporaryFolder,
      name: `${plugin.kind} plugin ${name}`,
    })
    renameSync(temporaryFolder, pluginFolder)
  } catch (thrown) {
    rmSync(temporaryFolder, { recursive: true, force: true })
    // Another process may have installed the plugin.
    if (!existsSync(pluginFolder)) throw thrown
  }
}

/** Installs a Terraform provider, whose archive in the store is the zip file of its release. */
async function installTerraformPackage(
  { name: address }: PluginDescriptor,
  { version, bytes }: StoredPlugin,
  { home, os, arch }: FetchTarget,
): Promise<void> {
  const cache = terraformCacheOf({ env: {}, home })
  const platform = packagePlatformOf(os, arch)
  const finalFolder = unpackedFolderOf(cache, parseSourceAddress(address), { ...platform, version })
  if (existsSync(finalFolder)) return
  mkdirSync(dirname(finalFolder), { recursive: true, mode: 0o700 })
  const scratchFolder = mkdtempSync(join(cache, '.partial-'))
  try {
    const file = join(scratchFolder, 'package.zip')
    const unpackedFolder = join(scratchFolder, 'package')
    writeFileSync(file, bytes)
    mkdirSync(unpackedFolder, { mode: 0o700 })
    await unpackPackage(file, unpackedFolder, `${address} ${version}`)
    renameSync(unpackedFolder, finalFolder)
  } catch (thrown) {
    // Another process may have installed the package.
    if (!existsSync(finalFolder)) throw thrown
  } finally {
    rmSync(scratchFolder, { recursive: true, force: true })
  }
}
