import { createWriteStream, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Entry, open, type ZipFile } from 'yauzl'
import { installLimits as limits } from '../../../config/install-limits.ts'
import { createError, hasCode, messageOf } from '../../../errors/error.ts'

/**
 * Unpacks a zip file into a folder. All files that the zip file marks as executable, and the
 * executable of the provider, may be executed. Throws ARCHIVE_UNREADABLE for a damaged file, a link
 * or a name outside of the folder, and ARCHIVE_TOO_LARGE.
 */
export async function unpackPackage(file: string, folder: string, title: string): Promise<void> {
  try {
    const zip = await openZip(file)
    try {
      await unpackEntries(zip, folder, title)
    } finally {
      zip.close()
    }
  } catch (cause) {
    if (hasCode(cause, 'ARCHIVE_TOO_LARGE')) throw cause
    const isStorageError =
      cause instanceof Error && 'code' in cause && ['ENOSPC', 'EDQUOT'].includes(String(cause.code))
    if (isStorageError) throw cause
    throw createError('ARCHIVE_UNREADABLE', `cannot unpack ${title}: ${messageOf(cause)}`, {
      cause,
    })
  }
}

function openZip(file: string): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    open(file, { lazyEntries: true, autoClose: false, strictFileNames: true }, (thrown, zip) => {
      if (thrown !== null || zip === undefined) reject(thrown ?? new Error('it is not a zip file'))
      else resolve(zip)
    })
  })
}

function unpackEntries(zip: ZipFile, folder: string, title: string): Promise<void> {
  let fileCount = 0
  let totalBytes = 0
  const countBytes = (sizeBytes: number): void => {
    totalBytes += sizeBytes
    if (fileCount > limits.filesMax || totalBytes > limits.bytesMax)
      throw createError('ARCHIVE_TOO_LARGE', `${title} exceeds the limits of a package`)
  }
  return new Promise((resolve, reject) => {
    zip.on('error', reject)
    zip.on('end', resolve)
    zip.on('entry', (entry: Entry) => {
      fileCount += 1
      unpackEntry(zip, entry, { folder, countBytes }).then(() => zip.readEntry(), reject)
    })
    zip.readEntry()
  })
}

async function unpackEntry(
  zip: ZipFile,
  entry: Entry,
  { folder, countBytes }: { readonly folder: string; readonly countBytes: (size: number) => void },
): Promise<void> {
  // This call checks the number of files, which includes folders and empty files.
  countBytes(0)
  const path = join(folder, entry.fileName)
  if (entry.fileName.endsWith('/')) {
    mkdirSync(path, { recursive: true })
    return
  }
  const mode = entry.externalFileAttributes >>> 16
  if ((mode & 0o170000) === 0o120000) throw new Error(`'${entry.fileName}' is a link`)
  mkdirSync(dirname(path), { recursive: true })
  const isExecutable = (mode & 0o111) !== 0 || /^terraform-provider-[^/]*$/.test(entry.fileName)
  const meter = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      try {
        countBytes(chunk.length)
        callback(null, chunk)
      } catch (thrown) {
        callback(thrown instanceof Error ? thrown : new Error(String(thrown)))
      }
    },
  })
  const source = await openEntry(zip, entry)
  // The target must be passed to `pipeline` in the same turn of the event loop in which it is
  // created. Otherwise an error of the opening of the file has no listener.
  const target = createWriteStream(path, { flags: 'wx', mode: isExecutable ? 0o755 : 0o644 })
  await pipeline(source, meter, target)
}

function openEntry(zip: ZipFile, entry: Entry): Promise<NodeJS.ReadableStream> {
  return new Promise((resolve, reject) => {
    zip.openReadStream(entry, (thrown, stream) => {
      if (thrown !== null || stream === undefined)
        reject(thrown ?? new Error(`'${entry.fileName}' cannot be read`))
      else resolve(stream)
    })
  })
}
