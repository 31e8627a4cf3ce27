import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { extract } from 'tar'
import { error, messageOf } from '../../errors/error.ts'

/** Limits of an unpacked archive. */
export interface UnpackLimits {
  readonly filesMax: number
  readonly bytesMax: number
}

/**
 * Unpacks a gzipped tar archive into a folder. Throws ARCHIVE_UNREADABLE, also for entries outside
 * of the folder, and ARCHIVE_TOO_LARGE above the limits.
 */
export async function unpackStream(
  archive: Readable,
  options: { readonly into: string; readonly name: string; readonly limits: UnpackLimits },
): Promise<void> {
  const { into, name, limits } = options
  let files = 0
  let size = 0
  let refusal: Error | undefined
  const acceptEntry = (_path: string, entry: { readonly size?: number }): boolean => {
    files += 1
    size += entry.size ?? 0
    if (files > limits.filesMax || size > limits.bytesMax)
      refusal ??= error('ARCHIVE_TOO_LARGE', `the ${name} exceeds the limits of an archive`)
    return refusal === undefined
  }
  try {
    await pipeline(
      archive,
      extract({ cwd: into, strict: true, filter: (path, entry) => acceptEntry(path, entry) }),
    )
  } catch (cause) {
    if (refusal !== undefined) throw refusal
    const why = messageOf(cause)
    throw error('ARCHIVE_UNREADABLE', `cannot unpack the ${name}: ${why}`, { cause })
  }
  if (refusal !== undefined) throw refusal
}
