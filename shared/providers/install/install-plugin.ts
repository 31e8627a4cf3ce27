import {
  chmodSync,
  cpSync,
  createReadStream,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { installLimits as limits } from '../../config/install-limits.ts'
import { withInstallLock } from './install-lock.ts'
import { unpackStream } from './unpack-stream.ts'
import { type DownloadDeps, downloadPlugin, pluginTitleOf } from './download-plugin.ts'
import { fetchLatestVersion } from './plugin-source-requests.ts'
import { cacheLocationOf } from './git-address.ts'
import { pluginSourcesOf } from './plugin-sources.ts'
import type { PluginRequest } from './plugin-address.ts'

/** Dependencies of installations. */
export interface InstallDeps extends DownloadDeps {
  /** The folder of the plugin cache. */
  readonly cache: string
  /**
   * Installs the dependencies of a plugin from source, in the plugin's folder. Does nothing for
   * other plugins.
   */
  readonly installDependencies: (folder: string) => Promise<void>
}

/** A request to install one plugin. */
export interface InstallRequest {
  readonly plugin: PluginRequest
  /** A file, folder or archive to install from instead of a download. */
  readonly sourcePath?: string
  /** Whether to replace an existing installation. */
  readonly isForced?: boolean
}

/**
 * Returns a plugin with its version. Without a version, requests the latest one from the first
 * source of the plugin. Throws PLUGIN_ADDRESS, PLUGIN_DOWNLOAD.
 */
export async function withPluginVersion(
  plugin: PluginRequest,
  deps: DownloadDeps,
): Promise<PluginRequest> {
  if (plugin.version !== '') return plugin
  const [source] = pluginSourcesOf(plugin, overridesOf(deps))
  if (source === undefined) return plugin
  return { ...plugin, version: await fetchLatestVersion(source, plugin, deps) }
}

function overridesOf({ env }: DownloadDeps): string {
  return env['PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES'] ?? ''
}

/**
 * Installs a plugin in the plugin cache, completely or not at all, even if several processes
 * install it concurrently. Returns the installed version. Throws PLUGIN_ADDRESS, PLUGIN_DOWNLOAD,
 * PLUGIN_CHECKSUM, PLUGIN_TOO_LARGE, ARCHIVE_* and the errors of `installDependencies`. Source:
 * docs/spec/provider-protocol.md#cache-layout, docs/spec/provider-protocol.md#download-sources.
 */
export async function installPlugin(request: InstallRequest, deps: InstallDeps): Promise<string> {
  const { cache } = deps
  const sources = pluginSourcesOf(request.plugin, overridesOf(deps))
  const plugin = await withPluginVersion(request.plugin, deps)
  const { version } = plugin
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const cacheLocation = cacheLocationOf(plugin)
  const folder = join(cache, `${plugin.kind}-${cacheLocation.name}-v${version}`)
  await withInstallLock(`${folder}.lock`, deps.pause, async () => {
    const partialMarker = `${folder}.partial`
    const isInstalled = existsSync(folder) && !existsSync(partialMarker)
    if (isInstalled && request.isForced !== true) return
    const scratchFolder = mkdtempSync(join(tmpdir(), 'antichain-plugin-'))
    try {
      const file = request.sourcePath ?? join(scratchFolder, 'archive')
      if (request.sourcePath === undefined) {
        deps.report('info', `downloading ${pluginTitleOf(plugin)}`)
        await downloadPlugin(file, plugin, sources, deps)
      }
      // While the marker file exists, neither Antichain nor Pulumi uses the folder as a plugin.
      writeFileSync(partialMarker, '')
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { mode: 0o700 })
      await fillFolder(folder, file, plugin)
      await deps.installDependencies(join(folder, cacheLocation.folder))
      rmSync(partialMarker)
    } catch (thrown) {
      // Without the marker, the download failed and the folder is unchanged. With the marker, the
      // folder is incomplete.
      if (!existsSync(partialMarker)) throw thrown
      rmSync(folder, { recursive: true, force: true })
      rmSync(partialMarker)
      throw thrown
    } finally {
      rmSync(scratchFolder, { recursive: true, force: true })
    }
  })
  return version
}

async function fillFolder(
  folder: string,
  sourcePath: string,
  plugin: PluginRequest,
): Promise<void> {
  if (statSync(sourcePath).isDirectory()) {
    return cpSync(sourcePath, folder, { recursive: true, verbatimSymlinks: true })
  }
  if (isArchive(sourcePath)) {
    const options = { targetFolder: folder, name: pluginTitleOf(plugin), limits }
    return unpackStream(createReadStream(sourcePath), options)
  }
  const file = join(folder, `pulumi-${plugin.kind}-${plugin.name}`)
  cpSync(sourcePath, file)
  chmodSync(file, 0o700)
}

/**
 * Reports whether a file is an archive, by its name. A downloaded file is always an archive, and is
 * named `archive`.
 */
function isArchive(file: string): boolean {
  return /(?:\.tar\.gz|\.tgz|[/\\]archive)$/.test(file)
}
