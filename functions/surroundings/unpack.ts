import { Readable } from 'node:stream'
import { limits } from '../../shared/config/limits.ts'
import { unpackStream } from '../../shared/providers/install/unpack.ts'

/** Unpacks what the store holds: a program, or a plugin. Throws what `unpackStream` throws. */
export function unpackArchive(
  bytes: Uint8Array,
  about: { readonly into: string; readonly name: string },
): Promise<void> {
  const { archiveFilesMax: filesMax, programBytesMax: bytesMax } = limits
  return unpackStream(Readable.from([bytes]), { ...about, limits: { filesMax, bytesMax } })
}
