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
import { fetchLatestVersion } from './plugin-archive.ts'
import { cacheLocationOf } from './git-address.ts'
import { pluginSourcesOf } from './plugin-sources.ts'
import type { PluginRequest } from './plugin-address.ts'

/** Dependencies of installations. */
export interface InstallDeps extends DownloadDeps {
  /** The plugin cache. */
  readonly cache: string
  /**
   * Installs the dependencies of a plugin from source, in its folder. Does nothing for other
   * plugins.
   */
  readonly installDependencies: (folder: string) => Promise<void>
}

/** A request to install one plugin. */
export interface InstallRequest {
  readonly plugin: PluginRequest
  /** A file, folder or archive to install from instead of a download. */
  readonly from?: string
  /** Whether to replace an existing installation. */
  readonly isForced?: boolean
}

/**
 * Installs a plugin in the plugin cache, completely or not at all, even if several processes do so
 * concurrently. Returns the installed version. Throws PLUGIN_ADDRESS, PLUGIN_DOWNLOAD,
 * PLUGIN_CHECKSUM, PLUGIN_TOO_LARGE and ARCHIVE_*. Source:
 * docs/spec/provider-protocol.md#cache-layout, 3.5.
 */
export async function installPlugin(request: InstallRequest, deps: InstallDeps): Promise<string> {
  const { cache, env } = deps
  const sources = pluginSourcesOf(request.plugin, env['PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES'] ?? '')
  const [source] = sources
  const version =
    request.plugin.version !== '' || source === undefined
      ? request.plugin.version
      : await fetchLatestVersion(source, request.plugin, deps)
  const plugin = { ...request.plugin, version }
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const cached = cacheLocationOf(plugin)
  const folder = join(cache, `${plugin.kind}-${cached.name}-v${version}`)
  await withInstallLock(`${folder}.lock`, deps.pause, async () => {
    const partial = `${folder}.partial`
    const isThere = existsSync(folder) && !existsSync(partial)
    if (isThere && request.isForced !== true) return
    const scratch = mkdtempSync(join(tmpdir(), 'antichain-plugin-'))
    try {
      const file = request.from ?? join(scratch, 'archive')
      if (request.from === undefined) {
        deps.report('info', `downloading ${pluginTitleOf(plugin)}`)
        await downloadPlugin(file, plugin, sources, deps)
      }
      // While the marker file exists, neither this project nor Pulumi uses the folder as a plugin.
      writeFileSync(partial, '')
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { mode: 0o700 })
      await fillFolder(folder, file, plugin)
      await deps.installDependencies(join(folder, cached.folder))
      rmSync(partial)
    } catch (thrown) {
      // After a failed download no folder was created. A later failure removes the incomplete
      // folder.
      if (!existsSync(partial)) throw thrown
      rmSync(folder, { recursive: true, force: true })
      rmSync(partial)
      throw thrown
    } finally {
      rmSync(scratch, { recursive: true, force: true })
    }
  })
  return version
}

async function fillFolder(folder: string, from: string, plugin: PluginRequest): Promise<void> {
  if (statSync(from).isDirectory()) {
    return cpSync(from, folder, { recursive: true, verbatimSymlinks: true })
  }
  if (isArchive(from)) {
    const options = { into: folder, name: pluginTitleOf(plugin), limits }
    return unpackStream(createReadStream(from), options)
  }
  const file = join(folder, `pulumi-${plugin.kind}-${plugin.name}`)
  cpSync(from, file)
  chmodSync(file, 0o700)
}

/** Reports whether a file is an archive: every download is, a local file only by its name. */
function isArchive(file: string): boolean {
  return /(?:\.tar\.gz|\.tgz|[/\\]archive)$/.test(file)
}
