import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract } from 'tar'
import { limits } from '../../shared/config/limits.ts'
import { error, messageOf } from '../../shared/errors/error.ts'

/**
 * Unpacks a gzipped tar archive into a folder. Throws ARCHIVE_UNREADABLE, also for entries that
 * lead out of the folder, and ARCHIVE_TOO_LARGE for more than a program may have.
 */
export async function unpackArchive(
  bytes: Uint8Array,
  about: { readonly into: string; readonly name: string },
): Promise<void> {
  const { into, name } = about
  let files = 0
  let size = 0
  let refusal: Error | undefined
  const isTaken = (_path: string, entry: { readonly size?: number }): boolean => {
    files += 1
    size += entry.size ?? 0
    if (files > limits.archiveFilesMax || size > limits.programBytesMax)
      refusal ??= error('ARCHIVE_TOO_LARGE', `the ${name} holds more than a program may`)
    return refusal === undefined
  }
  try {
    await pipeline(
      Readable.from([bytes]),
      extract({ cwd: into, strict: true, filter: (path, entry) => isTaken(path, entry) }),
    )
  } catch (cause) {
    if (refusal !== undefined) throw refusal
    const why = messageOf(cause)
    throw error('ARCHIVE_UNREADABLE', `the ${name} cannot be unpacked: ${why}`, {
      cause,
    })
  }
  if (refusal !== undefined) throw refusal
}
