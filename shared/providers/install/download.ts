import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Transform, type Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { installLimits as limits } from '../../config/install-limits.ts'
import { error, hasCode, messageOf } from '../../errors/error.ts'
import { type ArchiveSource, type FetchDeps, openArchive, Refused } from './fetch-archive.ts'
import { checkOut } from './git-repository.ts'
import type { PluginSource, Wanted } from './plugin-address.ts'

/** What downloading needs. */
export interface DownloadDeps extends FetchDeps {
  readonly pause: (ms: number) => Promise<void>
  /** Must not throw. */
  readonly said: (severity: 'info' | 'warning', text: string) => void
}

/**
 * Puts the archive of a plugin into a file, or what a repository has into a folder, from the first
 * source that has it: each is tried five times, unless it refuses. Throws PLUGIN_CHECKSUM when it
 * is not what was expected, and PLUGIN_DOWNLOAD with what each source said.
 */
export async function downloadTo(
  place: string,
  plugin: Wanted,
  sources: readonly PluginSource[],
  deps: DownloadDeps,
): Promise<void> {
  const refusals: string[] = []
  for (const source of sources)
    try {
      return await tryOften(deps, () =>
        source.kind === 'git'
          ? cloneOnce(place, plugin, source.url, deps)
          : downloadOnce(place, plugin, source, deps),
      )
    } catch (thrown) {
      if (hasCode(thrown, 'PLUGIN_CHECKSUM') || hasCode(thrown, 'PLUGIN_TOO_LARGE')) throw thrown
      if (isLocal(thrown)) throw thrown
      refusals.push(messageOf(thrown))
    }
  throw error('PLUGIN_DOWNLOAD', `${titleOf(plugin)} cannot be downloaded: ${refusals.join('; ')}`)
}

/** What a plugin is called in sentences. */
export function titleOf({
  kind,
  name,
  version,
}: Omit<Wanted, 'downloadUrl' | 'checksums'>): string {
  return `${kind} plugin ${name}${version === '' ? '' : ` ${version}`}`
}

async function tryOften(deps: DownloadDeps, download: () => Promise<void>): Promise<void> {
  for (let number = 1; ; number++)
    try {
      return await download()
    } catch (thrown) {
      const isFinal = thrown instanceof Refused ? thrown.isFinal : isOurs(thrown) || isLocal(thrown)
      if (isFinal || number >= limits.triesMax) throw thrown
      const ms = limits.tryPauseMs * 2 ** (number - 1)
      const tries = `[${number}/${limits.triesMax}]`
      deps.said('warning', `${messageOf(thrown)}; it is tried again in ${ms} ms ${tries}`)
      await deps.pause(ms)
    }
}

function isOurs(thrown: unknown): boolean {
  return (['PLUGIN_CHECKSUM', 'PLUGIN_TOO_LARGE', 'PLUGIN_ADDRESS'] as const).some(code =>
    hasCode(thrown, code),
  )
}

/** Whether this machine failed, which a server cannot help. */
function isLocal(thrown: unknown): boolean {
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : ''
  return ['ENOSPC', 'EACCES', 'EROFS', 'EDQUOT', 'ENOENT', 'EISDIR'].includes(code)
}

/** A repository has no archive: its commits are what says that it is the same. */
async function cloneOnce(
  folder: string,
  plugin: Wanted,
  url: string,
  { git, machine }: DownloadDeps,
): Promise<void> {
  if (plugin.checksums.has(`${machine.os}-${machine.arch}`))
    throw error(
      'PLUGIN_CHECKSUM',
      `${titleOf(plugin)} comes from a repository, which has no archive to compare with a ` +
        'checksum: leave the checksum out, and name a commit as its version',
    )
  await checkOut({ url, version: plugin.version }, folder, git)
}

async function downloadOnce(
  file: string,
  plugin: Wanted,
  source: ArchiveSource,
  deps: DownloadDeps,
): Promise<void> {
  const archive = await openArchive(source, plugin, deps)
  const expected = plugin.checksums.get(`${deps.machine.os}-${deps.machine.arch}`)
  const hash = createHash('sha256')
  const silence = silenceOf(archive)
  let size = 0
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      silence.heard()
      size += chunk.length
      hash.update(chunk)
      if (size <= limits.archiveBytesMax) return done(null, chunk)
      done(error('PLUGIN_TOO_LARGE', `the archive of ${titleOf(plugin)} is too large`))
    },
  })
  try {
    await pipeline(archive, measure, createWriteStream(file, { mode: 0o600 }))
  } finally {
    silence.over()
  }
  const actual = hash.digest('hex')
  if (expected === undefined || expected.toLowerCase() === actual) return
  throw error(
    'PLUGIN_CHECKSUM',
    `${titleOf(plugin)}: invalid checksum, expected ${expected}, actual ${actual}`,
  )
}

/** Ends a stream that brings nothing for too long. */
function silenceOf(stream: Readable): { readonly heard: () => void; readonly over: () => void } {
  let timer: NodeJS.Timeout | undefined
  const heard = (): void => {
    clearTimeout(timer)
    timer = setTimeout(
      () => stream.destroy(new Error('the server sends nothing any more')),
      limits.silentMs,
    )
  }
  heard()
  return { heard, over: () => clearTimeout(timer) }
}
