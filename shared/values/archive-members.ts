import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { Parser } from 'tar'
import { fromBuffer } from 'yauzl'
import { createError } from '../errors/error.ts'
import type { ArchiveMember } from './tar-blocks.ts'

/**
 * Returns the files of an archive file in stored order, with normalized names. Folders are left
 * out, and so are links in a tar file. Throws RESOURCE_INVALID.
 */
export async function openArchive(
  name: string,
  bytes: Uint8Array,
): Promise<readonly ArchiveMember[]> {
  try {
    return /\.(zip|jar)$/.test(name) ? await openZip(bytes) : await openTar(bytes)
  } catch (cause) {
    throw createError('RESOURCE_INVALID', `cannot read the archive '${name}'`, { cause })
  }
}

async function openTar(bytes: Uint8Array): Promise<readonly ArchiveMember[]> {
  const members: Promise<ArchiveMember>[] = []
  const parser = new Parser({
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
  return Promise.all(members)
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
