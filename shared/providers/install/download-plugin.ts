import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { installLimits as limits } from '../../config/install-limits.ts'
import { createError, hasCode, messageOf } from '../../errors/error.ts'
import {
  type ArchiveSource,
  type FetchDeps,
  openPluginArchive,
  RefusedError,
} from './plugin-source-requests.ts'
import { checkOut } from './git-repository.ts'
import type { PluginSource, PluginRequest } from './plugin-address.ts'

/** Dependencies of downloads. */
export interface DownloadDeps extends FetchDeps {
  readonly pause: (pauseMs: number) => Promise<void>
  /** Reports a message to the user. Must not throw. */
  readonly report: (severity: 'info' | 'warning', text: string) => void
}

/**
 * Downloads a plugin from the first source that has it: an archive into a file, or a repository
 * into a folder. Each source gets at most `downloadAttemptsMax` attempts, and only one if it
 * refuses with 403 or 404. Throws PLUGIN_CHECKSUM, PLUGIN_TOO_LARGE and errors of the file system
 * without another attempt. Throws PLUGIN_DOWNLOAD with the message of each source when all sources
 * failed.
 */
export async function downloadPlugin(
  target: string,
  plugin: PluginRequest,
  sources: readonly PluginSource[],
  deps: DownloadDeps,
): Promise<void> {
  const refusals: string[] = []
  for (const source of sources)
    try {
      return await retryDownload(deps, () =>
        source.kind === 'git'
          ? cloneOnce(target, plugin, source.url, deps)
          : downloadOnce(target, plugin, source, deps),
      )
    } catch (thrown) {
      if (hasCode(thrown, 'PLUGIN_CHECKSUM') || hasCode(thrown, 'PLUGIN_TOO_LARGE')) throw thrown
      if (isLocalFailure(thrown)) throw thrown
      refusals.push(messageOf(thrown))
    }
  throw createError(
    'PLUGIN_DOWNLOAD',
    `cannot download ${pluginTitleOf(plugin)}: ${refusals.join('; ')}`,
  )
}

/** Returns the name of a plugin for messages. */
export function pluginTitleOf({
  kind,
  name,
  version,
}: Omit<PluginRequest, 'downloadUrl' | 'checksums'>): string {
  return `${kind} plugin ${name}${version === '' ? '' : ` ${version}`}`
}

async function retryDownload(deps: DownloadDeps, download: () => Promise<void>): Promise<void> {
  for (let attempt = 1; ; attempt++)
    try {
      return await download()
    } catch (thrown) {
      const isFinal =
        thrown instanceof RefusedError
          ? thrown.isFinal
          : isFinalError(thrown) || isLocalFailure(thrown)
      if (isFinal || attempt >= limits.downloadAttemptsMax) throw thrown
      const pauseMs = limits.downloadRetryPauseMs * 2 ** (attempt - 1)
      const attemptText = `[${attempt}/${limits.downloadAttemptsMax}]`
      deps.report('warning', `${messageOf(thrown)}; retrying in ${pauseMs} ms ${attemptText}`)
      await deps.pause(pauseMs)
    }
}

function isFinalError(thrown: unknown): boolean {
  return (
    ['PLUGIN_CHECKSUM', 'PLUGIN_TOO_LARGE', 'PLUGIN_ADDRESS', 'OUTBOUND_REFUSED'] as const
  ).some(code => hasCode(thrown, code))
}

/** Reports whether an error comes from this machine. Another attempt would then not help. */
function isLocalFailure(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  return ['ENOSPC', 'EACCES', 'EROFS', 'EDQUOT', 'ENOENT', 'EISDIR'].includes(code)
}

/**
 * Clones the repository of a plugin once. A repository has no archive to verify by a checksum, so a
 * plugin with a checksum is refused. Throws PLUGIN_CHECKSUM.
 */
async function cloneOnce(
  folder: string,
  plugin: PluginRequest,
  url: string,
  { git, machine }: DownloadDeps,
): Promise<void> {
  if (plugin.checksums.has(`${machine.os}-${machine.arch}`))
    throw createError(
      'PLUGIN_CHECKSUM',
      `${pluginTitleOf(plugin)} comes from a repository, which has no archive to verify by a checksum: remove the checksum, and specify a commit as the version`,
    )
  await checkOut({ url, version: plugin.version }, folder, git)
}

async function downloadOnce(
  file: string,
  plugin: PluginRequest,
  source: ArchiveSource,
  deps: DownloadDeps,
): Promise<void> {
  const archive = await openPluginArchive(source, plugin, deps)
  const expectedHash = plugin.checksums.get(`${deps.machine.os}-${deps.machine.arch}`)
  const hash = createHash('sha256')
  const idleTimeout = createIdleTimeout(archive)
  let sizeBytes = 0
  const sizeMeter = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      idleTimeout.restart()
      sizeBytes += chunk.length
      hash.update(chunk)
      if (sizeBytes <= limits.archiveBytesMax) return callback(null, chunk)
      callback(
        createError('PLUGIN_TOO_LARGE', `the archive of ${pluginTitleOf(plugin)} is too large`),
      )
    },
  })
  try {
    await pipeline(archive, sizeMeter, createWriteStream(file, { mode: 0o600 }))
  } finally {
    idleTimeout.stop()
  }
  const actualHash = hash.digest('hex')
  if (expectedHash === undefined || expectedHash.toLowerCase() === actualHash) return
  throw createError(
    'PLUGIN_CHECKSUM',
    `${pluginTitleOf(plugin)}: invalid checksum, expected ${expectedHash}, actual ${actualHash}`,
  )
}

/**
 * Creates a timeout that ends a stream when no data arrives for `downloadIdleMs`. The caller calls
 * `restart` for each piece of data.
 */
function createIdleTimeout(stream: Readable): {
  readonly restart: () => void
  readonly stop: () => void
} {
  let timer: NodeJS.Timeout | undefined
  const restart = (): void => {
    clearTimeout(timer)
    timer = setTimeout(
      () => stream.destroy(new Error('the server stopped sending data')),
      limits.downloadIdleMs,
    )
  }
  restart()
  return { restart, stop: () => clearTimeout(timer) }
}
