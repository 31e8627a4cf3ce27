import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { createError, messageOf } from '../../errors/error.ts'
import type { BlobEntry, BlobSweepPort } from '../../ports/retention.ts'
import type { BlobHash, EpochMs } from '../../records/ids.ts'
import { systemCodeOf } from '../../errors/system-code.ts'

/** The suffix of a set-aside blob's file, after the hash. */
export const setAsideSuffix = '.aside'

const blobFilePattern = /^([0-9a-f]{64})(\.aside)?$/

/**
 * The name of a writer's temporary file, which remains when the writer crashes. Its modification
 * time is the time of the last write.
 */
const unfinishedFilePattern = /^[0-9a-f]{64}\.[0-9a-f-]{36}$/

/**
 * Creates the sweep over blobs in files. A page has the blobs of one folder. The first two digits
 * of their hashes are the name of the folder.
 */
export function createBlobSweep(folder: string): BlobSweepPort {
  const pathOf = (hash: BlobHash): string => join(folder, hash.slice(0, 2), hash)
  return {
    list: cursor =>
      withSweepErrors(folder, async () => {
        const name = (await listFolders(folder)).find(folderName => folderName > cursor)
        if (name === undefined) return { blobs: [], next: undefined }
        return { blobs: await listBlobs(join(folder, name)), next: name }
      }),
    setAside: (hash, now) =>
      withSweepErrors(folder, async () => {
        const path = pathOf(hash)
        // The time is set before the rename. After a crash in between, the blob only seems younger.
        await ignoreMissing(utimes(path, now / 1000, now / 1000))
        await ignoreMissing(rename(path, path + setAsideSuffix))
      }),
    putBack: hash =>
      withSweepErrors(folder, () =>
        ignoreMissing(rename(pathOf(hash) + setAsideSuffix, pathOf(hash))),
      ),
    remove: hash =>
      withSweepErrors(folder, () => rm(pathOf(hash) + setAsideSuffix, { force: true })),
    removeUnfinished: (writtenBefore, dryRun) =>
      withSweepErrors(folder, async () => {
        const total = { count: 0, bytes: 0 }
        for (const { path, bytes } of await listUnfinished(folder, writtenBefore)) {
          total.count += 1
          total.bytes += bytes
          if (!dryRun) await rm(path, { force: true })
        }
        return total
      }),
  }
}

async function listBlobs(folder: string): Promise<readonly BlobEntry[]> {
  const blobs: BlobEntry[] = []
  for (const name of await listNames(folder)) {
    const [, hash, suffix] = blobFilePattern.exec(name) ?? []
    const stats = hash === undefined ? undefined : await readStat(join(folder, name))
    if (hash === undefined || stats === undefined) continue
    const changedAtMs = Math.floor(stats.mtimeMs) as EpochMs
    const isSetAside = suffix !== undefined
    blobs.push({ hash: hash as BlobHash, sizeBytes: stats.size, changedAtMs, isSetAside })
  }
  return blobs
}

async function listFolders(folder: string): Promise<readonly string[]> {
  return (await listNames(folder)).filter(name => /^[0-9a-f]{2}$/.test(name)).toSorted()
}

async function listUnfinished(
  folder: string,
  writtenBefore: EpochMs,
): Promise<readonly { readonly path: string; readonly bytes: number }[]> {
  const files: { path: string; bytes: number }[] = []
  for (const name of await listFolders(folder))
    for (const file of await listNames(join(folder, name))) {
      const path = join(folder, name, file)
      const stats = unfinishedFilePattern.test(file) ? await readStat(path) : undefined
      if (stats !== undefined && stats.mtimeMs <= writtenBefore)
        files.push({ path, bytes: stats.size })
    }
  return files
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'ENOENT') return []
    throw thrown
  }
}

/** Reads size and time of a file. Returns undefined when another process has removed the file. */
async function readStat(path: string): Promise<{ size: number; mtimeMs: number } | undefined> {
  try {
    return await stat(path)
  } catch (thrown) {
    if (systemCodeOf(thrown) === 'ENOENT') return undefined
    throw thrown
  }
}

/** Awaits a change. Ignores a missing file, because another sweep may have made the same change. */
async function ignoreMissing(change: Promise<void>): Promise<void> {
  try {
    await change
  } catch (thrown) {
    if (systemCodeOf(thrown) !== 'ENOENT') throw thrown
  }
}

async function withSweepErrors<T>(folder: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    const reason = messageOf(thrown)
    throw createError('STORE_UNAVAILABLE', `cannot sweep the blobs below ${folder}: ${reason}`, {
      details: { folder, reason },
      cause: thrown,
    })
  }
}
