import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type DeployError, createError, messageOf } from '../../errors/error.ts'
import type { BlobsPort } from '../../ports/records.ts'
import type { BlobHash } from '../../records/ids.ts'
import { createPauser } from '../../state/stream/pause.ts'
import type { BlobNaming } from '../records/archives.ts'
import { setAsideSuffix } from './blob-sweep.ts'
import { systemCodeOf } from '../../errors/system-code.ts'

/** Bytes that are hashed at a time. */
const partBytes = 1 << 18

/**
 * Creates the blobs, stored as files `<folder>/<first two digits>/<name>`. A blob is written to a
 * temporary file, synced and renamed, and its folder is synced. A file with the name of a blob is
 * therefore complete. `nameOf` returns the name for the SHA-256 of the bytes. By default, both are
 * equal. `get` also accepts a file whose name is the SHA-256.
 */
export function createBlobs(folder: string, nameOf: BlobNaming = hash => hash): BlobsPort {
  return {
    put: async bytes => {
      const contentHash = await hashBytes(bytes)
      const hash = nameOf(contentHash)
      const path = pathOf(folder, hash)
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        const isStored = (await hashFile(path)) === contentHash
        if (!isStored) await writeAtomically(path, bytes)
        await syncFolderEntries(dirname(path))
        await syncFolderEntries(folder)
        return hash
      } catch (thrown) {
        const reason = messageOf(thrown)
        throw createError('STORE_UNAVAILABLE', `cannot write the blob ${path}: ${reason}`, {
          details: { path, reason },
          cause: thrown,
        })
      }
    },
    get: async hash => {
      const path = pathOf(folder, hash)
      // The sweep renames a blob before it removes it, and may rename it back. If that happens
      // between the first two lookups, the third one finds the blob.
      for (const candidatePath of [path, path + setAsideSuffix, path]) {
        const bytes = await readContent(candidatePath)
        const contentHash = await hashBytes(bytes)
        if (contentHash === hash || nameOf(contentHash) === hash) return bytes
      }
      throw createError('STATE_INVALID', `the blob ${path} is absent or damaged`, {
        hint: 'Restore the file from a backup, or import an export of the stack.',
        details: { path },
      })
    },
  }
}

/**
 * Returns the SHA-256 of a stored blob. Returns undefined for a blob that is absent or set aside.
 * Throws STORE_UNAVAILABLE.
 */
export async function readContentHash(
  folder: string,
  name: BlobHash,
): Promise<BlobHash | undefined> {
  return hashFile(pathOf(folder, name))
}

/** Returns the SHA-256 of bytes in hexadecimal. Other work of the process continues meanwhile. */
async function hashBytes(bytes: Uint8Array): Promise<BlobHash> {
  const pauser = createPauser()
  const hash = createHash('sha256')
  for (let start = 0; start < bytes.length; start += partBytes) {
    const part = bytes.subarray(start, start + partBytes)
    hash.update(part)
    await pauser.addBytes(part.length)
  }
  return hash.digest('hex') as BlobHash
}

/**
 * Returns the SHA-256 of a file, which is read in parts and never whole in memory. Returns
 * undefined for a file that is missing or empty. Throws STORE_UNAVAILABLE.
 */
async function hashFile(path: string): Promise<BlobHash | undefined> {
  const hash = createHash('sha256')
  let isEmpty = true
  try {
    for await (const part of createReadStream(path) as AsyncIterable<Buffer>) {
      isEmpty = false
      hash.update(part)
    }
  } catch (thrown) {
    if (systemCodeOf(thrown) !== 'ENOENT') throw createReadError(path, thrown)
  }
  return isEmpty ? undefined : (hash.digest('hex') as BlobHash)
}

/**
 * Returns the path of a blob. The hash may come from a file that a person edited, and only
 * hexadecimal digits may become part of a path.
 */
function pathOf(folder: string, hash: BlobHash): string {
  if (!/^[0-9a-f]{64}$/.test(hash)) {
    throw createError('STATE_INVALID', `"${hash}" does not name a blob`)
  }
  return join(folder, hash.slice(0, 2), hash)
}

/** Reads a file. Returns no bytes for a missing file. Throws STORE_UNAVAILABLE for other errors. */
async function readContent(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'ENOENT') return new Uint8Array()
    throw createReadError(path, thrown)
  }
}

function createReadError(path: string, cause: unknown): DeployError {
  const reason = messageOf(cause)
  return createError('STORE_UNAVAILABLE', `cannot read the blob ${path}: ${reason}`, {
    details: { path, reason },
    cause,
  })
}

/** Writes a file durably. The file exists at `path` only when it is complete. */
async function writeAtomically(path: string, bytes: Uint8Array): Promise<void> {
  const temporaryPath = `${path}.${randomUUID()}`
  try {
    const file = await open(temporaryPath, 'wx', 0o600)
    try {
      await file.writeFile(bytes)
      await file.sync()
    } finally {
      await file.close()
    }
    await rename(temporaryPath, path)
  } catch (thrown) {
    await rm(temporaryPath, { force: true })
    throw thrown
  }
}

/** Makes the entries of a folder durable. */
async function syncFolderEntries(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
