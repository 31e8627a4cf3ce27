import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract } from 'tar'
import { createError, messageOf } from '../../errors/error.ts'

/** Limits of an unpacked archive. */
export interface UnpackLimits {
  readonly filesMax: number
  readonly bytesMax: number
}

/**
 * Unpacks a gzipped tar archive into a folder. Throws ARCHIVE_UNREADABLE for a damaged archive and
 * for an entry outside of the folder, and ARCHIVE_TOO_LARGE above the limits. `name` names the
 * archive in the errors.
 */
export async function unpackStream(
  archive: Readable,
  options: { readonly targetFolder: string; readonly name: string; readonly limits: UnpackLimits },
): Promise<void> {
  const { targetFolder, name, limits } = options
  let fileCount = 0
  let totalBytes = 0
  let refusal: Error | undefined
  const acceptEntry = (_path: string, entry: { readonly size?: number }): boolean => {
    fileCount += 1
    totalBytes += entry.size ?? 0
    if (fileCount > limits.filesMax || totalBytes > limits.bytesMax)
      refusal ??= createError('ARCHIVE_TOO_LARGE', `the ${name} exceeds the limits of an archive`)
    return refusal === undefined
  }
  try {
    await pipeline(
      archive,
      extract({
        cwd: targetFolder,
        strict: true,
        // Writes are synchronous, so that none is pending after an error, when the caller removes
        // the folder.
        sync: true,
        filter: (path, entry) => acceptEntry(path, entry),
      }),
    )
  } catch (cause) {
    if (refusal !== undefined) throw refusal
    const path = pathOfEntry(cause)
    const entry = path === undefined ? '' : ` (entry ${JSON.stringify(path)})`
    const reason = `${messageOf(cause)}${entry}`
    throw createError('ARCHIVE_UNREADABLE', `cannot unpack the ${name}: ${reason}`, { cause })
  }
  if (refusal !== undefined) throw refusal
}

/** Returns the path of the entry that an error of the library is about, if the error has one. */
function pathOfEntry(thrown: unknown): string | undefined {
  const { path, entry } = thrown as { path?: unknown; entry?: { readonly path?: unknown } }
  const entryPath = path ?? entry?.path
  return typeof entryPath === 'string' ? entryPath : undefined
}
