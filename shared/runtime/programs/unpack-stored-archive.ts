import { Readable } from 'node:stream'
import { limits } from '../../config/limits.ts'
import { unpackStream } from '../../providers/install/unpack-stream.ts'

/** Unpacks a stored archive: a program or a plugin. Throws the errors of `unpackStream`. */
export function unpackArchive(
  bytes: Uint8Array,
  target: { readonly targetFolder: string; readonly name: string },
): Promise<void> {
  const { archiveFilesMax: filesMax, programBytesMax: bytesMax } = limits
  return unpackStream(Readable.from([bytes]), { ...target, limits: { filesMax, bytesMax } })
}
