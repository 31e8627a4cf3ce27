import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { gunzipSync } from 'node:zlib'
import { Parser, ReadEntry } from 'tar'
import { fromBuffer } from 'yauzl'
import { createError, messageOf } from '../errors/error.ts'
import type { ArchiveMember } from './tar-blocks.ts'

/**
 * Returns the files of an archive file in stored order, with normalized names. Folders are left
 * out, and so are links in a tar file. Throws RESOURCE_INVALID for a damaged archive.
 */
export async function openArchive(
  name: string,
  bytes: Uint8Array,
): Promise<readonly ArchiveMember[]> {
  try {
    return /\.(zip|jar)$/.test(name) ? await openZip(bytes) : await openTar(bytes)
  } catch (cause) {
    throw createError(
      'RESOURCE_INVALID',
      `cannot read the archive '${name}': ${messageOf(cause)}`,
      { cause, hint: 'Create the archive file again, or correct its name.' },
    )
  }
}

async function openTar(bytes: Uint8Array): Promise<readonly ArchiveMember[]> {
  if (isEmptyTar(bytes)) return []
  const members: Promise<ArchiveMember>[] = []
  let fault: Error | undefined
  const parser = new Parser({
    // Without this check, a damaged archive would have fewer files, or a file without its end.
    onwarn: (code, reason, { entry }) => {
      const isUnpadded = entry instanceof ReadEntry && hasWholeContent(entry, String(reason))
      if (isDamage(code) && !isUnpadded) fault ??= new Error(String(reason))
    },
    onReadEntry(entry) {
      if (entry.type !== 'File' && entry.type !== 'OldFile') {
        entry.resume()
        return
      }
      members.push(entry.concat().then(data => ({ name: posix.normalize(entry.path), data })))
    },
  })
  await new Promise<void>((resolve, reject) => {
    parser.on('end', resolve)
    parser.on('error', reject)
    Readable.from([Buffer.from(bytes)]).pipe(parser)
  })
  const files = await Promise.all(members)
  if (fault !== undefined) throw fault
  return files
}

/** Maximum size of an archive without files, in bytes. Tools write up to 20 blocks of zeros. */
const emptyTarBytesMax = 64 * 1024

/**
 * Reports whether a tar file has no files: it has no bytes, or zeros only, also in gzip. The
 * library reports such a file as damaged, but Pulumi reads it. Source: Go's archive/tar.
 */
function isEmptyTar(bytes: Uint8Array): boolean {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return isZero(bytes)
  try {
    return isZero(gunzipSync(bytes, { maxOutputLength: emptyTarBytesMax }))
  } catch {
    return false
  }
}

function isZero(bytes: Uint8Array): boolean {
  return bytes.length <= emptyTarBytesMax && bytes.every(byte => byte === 0)
}

/**
 * Reports whether the last file of a tar file lacks only the zeros that fill its last block. Go's
 * archive/tar does not need these zeros. `message`: the warning of the library, with the number of
 * bytes left.
 */
function hasWholeContent({ remain }: ReadEntry, message: string): boolean {
  const available = /only (\d+) available/.exec(message)?.[1]
  return available !== undefined && Number(available) >= remain
}

/** Reports whether a warning of the library is about damaged bytes, and not about a rare format. */
function isDamage(code: string): boolean {
  return ['TAR_BAD_ARCHIVE', 'TAR_ENTRY_INVALID', 'TAR_ABORT'].includes(code)
}

function openZip(bytes: Uint8Array): Promise<readonly ArchiveMember[]> {
  return new Promise((resolve, reject) => {
    fromBuffer(Buffer.from(bytes), { lazyEntries: true }, (openError, zip) => {
      if (openError !== null || zip === undefined) {
        reject(openError ?? new Error('not a zip file'))
        return
      }
      const members: ArchiveMember[] = []
      zip.on('error', reject)
      zip.on('end', () => resolve(members))
      zip.on('entry', entry => {
        if (entry.fileName.endsWith('/')) {
          zip.readEntry()
          return
        }
        zip.openReadStream(entry, (readError, stream) => {
          if (readError !== null || stream === undefined) {
            reject(readError ?? new Error('a member cannot be read'))
            return
          }
          stream.toArray().then(chunks => {
            members.push({ name: posix.normalize(entry.fileName), data: Buffer.concat(chunks) })
            zip.readEntry()
          }, reject)
        })
      })
      zip.readEntry()
    })
  })
}
