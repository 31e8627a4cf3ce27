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
import { unpackStream } from './unpack.ts'
import { type DownloadDeps, downloadTo, titleOf } from './download.ts'
import { latestVersion } from './fetch-archive.ts'
import { cachedAs } from './git-address.ts'
import { sourcesOf } from './plugin-sources.ts'
import type { Wanted } from './plugin-address.ts'

/** What installing needs. */
export interface InstallDeps extends DownloadDeps {
  /** The plugin cache. */
  readonly cache: string
  /** Installs what a plugin from source needs, in its folder; nothing for others. */
  readonly dependencies: (folder: string) => Promise<void>
}

/** What is to be done about one plugin. */
export interface InstallAsked {
  readonly plugin: Wanted
  /** A file, folder or archive to take it from instead. */
  readonly from?: string
  /** Also where it is installed already. */
  readonly isAgain?: boolean
}

/**
 * Puts a plugin into the plugin cache, whole or not at all, however many processes ask; answers the
 * version that it has there. Throws PLUGIN_ADDRESS, PLUGIN_DOWNLOAD, PLUGIN_CHECKSUM,
 * PLUGIN_TOO_LARGE and ARCHIVE_*. Source: docs/spec/provider-protocol.md#cache-layout, 3.5.
 */
export async function installPlugin(asked: InstallAsked, deps: InstallDeps): Promise<string> {
  const { cache, env } = deps
  const sources = sourcesOf(asked.plugin, env['PULUMI_PLUGIN_DOWNLOAD_URL_OVERRIDES'] ?? '')
  const [source] = sources
  const version =
    asked.plugin.version !== '' || source === undefined
      ? asked.plugin.version
      : await latestVersion(source, asked.plugin, deps)
  const plugin = { ...asked.plugin, version }
  mkdirSync(cache, { recursive: true, mode: 0o700 })
  const cached = cachedAs(plugin)
  const folder = join(cache, `${plugin.kind}-${cached.name}-v${version}`)
  await withInstallLock(`${folder}.lock`, deps.pause, async () => {
    const partial = `${folder}.partial`
    const isThere = existsSync(folder) && !existsSync(partial)
    if (isThere && asked.isAgain !== true) return
    const scratch = mkdtempSync(join(tmpdir(), 'antichain-plugin-'))
    try {
      const file = asked.from ?? join(scratch, 'archive')
      if (asked.from === undefined) {
        deps.said('info', `downloading ${titleOf(plugin)}`)
        await downloadTo(file, plugin, sources, deps)
      }
      // Until the mark is gone nobody takes the folder for a plugin, nor does Pulumi.
      writeFileSync(partial, '')
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { mode: 0o700 })
      await fill(folder, file, plugin)
      await deps.dependencies(join(folder, cached.folder))
      rmSync(partial)
    } catch (thrown) {
      // What never came is no plugin that was begun; what did stays marked, and is done again.
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

async function fill(folder: string, from: string, plugin: Wanted): Promise<void> {
  if (statSync(from).isDirectory()) {
    return cpSync(from, folder, { recursive: true, verbatimSymlinks: true })
  }
  if (isArchive(from)) {
    const about = { into: folder, name: titleOf(plugin), limits }
    return unpackStream(createReadStream(from), about)
  }
  const file = join(folder, `pulumi-${plugin.kind}-${plugin.name}`)
  cpSync(from, file)
  chmodSync(file, 0o700)
}

/** Downloads are archives; of a person's files those that are called so. */
function isArchive(file: string): boolean {
  return /(?:\.tar\.gz|\.tgz|[/\\]archive)$/.test(file)
}
