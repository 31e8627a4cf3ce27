import { readdir, rename, rm, stat, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { error, messageOf } from '../../errors/error.ts'
import type { BlobEntry, BlobSweepPort } from '../../ports/retention.ts'
import type { BlobHash, EpochMs } from '../../records/ids.ts'

/** The suffix of a set-aside blob's file, after the hash. */
export const asideEnding = '.aside'

const blobFile = /^([0-9a-f]{64})(\.aside)?$/

/**
 * The form of an unfinished file of a crashed writer. Its modification time is that of the crash.
 */
const unfinishedFile = /^[0-9a-f]{64}\.[0-9a-f-]{36}$/

/** Creates the sweep over blobs in files. A page has one folder of two digits. */
export function createBlobSweep(folder: string): BlobSweepPort {
  const pathOf = (hash: BlobHash): string => join(folder, hash.slice(0, 2), hash)
  return {
    list: cursor =>
      withSweepErrors(folder, async () => {
        const name = (await listFolders(folder)).find(one => one > cursor)
        if (name === undefined) return { blobs: [], next: undefined }
        return { blobs: await listBlobs(join(folder, name)), next: name }
      }),
    setAside: (hash, now) =>
      withSweepErrors(folder, async () => {
        const path = pathOf(hash)
        // The time is set first: after a crash in between, the blob only seems younger.
        await ignoreMissing(utimes(path, now / 1000, now / 1000))
        await ignoreMissing(rename(path, path + asideEnding))
      }),
    putBack: hash =>
      withSweepErrors(folder, () =>
        ignoreMissing(rename(pathOf(hash) + asideEnding, pathOf(hash))),
      ),
    remove: hash => withSweepErrors(folder, () => rm(pathOf(hash) + asideEnding, { force: true })),
    removeUnfinished: (before, dryRun) =>
      withSweepErrors(folder, async () => {
        const found = { count: 0, bytes: 0 }
        for (const { path, bytes } of await listUnfinished(folder, before)) {
          found.count += 1
          found.bytes += bytes
          if (!dryRun) await rm(path, { force: true })
        }
        return found
      }),
  }
}

async function listBlobs(folder: string): Promise<readonly BlobEntry[]> {
  const blobs: BlobEntry[] = []
  for (const name of await listNames(folder)) {
    const [, hash, aside] = blobFile.exec(name) ?? []
    const found = hash === undefined ? undefined : await readStat(join(folder, name))
    if (hash === undefined || found === undefined) continue
    const at = Math.floor(found.mtimeMs) as EpochMs
    const isAside = aside !== undefined
    blobs.push({ hash: hash as BlobHash, bytes: found.size, at, isAside })
  }
  return blobs
}

async function listFolders(folder: string): Promise<readonly string[]> {
  return (await listNames(folder)).filter(name => /^[0-9a-f]{2}$/.test(name)).toSorted()
}

async function listUnfinished(
  folder: string,
  before: EpochMs,
): Promise<readonly { readonly path: string; readonly bytes: number }[]> {
  const found: { path: string; bytes: number }[] = []
  for (const name of await listFolders(folder))
    for (const file of await listNames(join(folder, name))) {
      const path = join(folder, name, file)
      const stats = unfinishedFile.test(file) ? await readStat(path) : undefined
      if (stats !== undefined && stats.mtimeMs <= before) found.push({ path, bytes: stats.size })
    }
  return found
}

async function listNames(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (thrown) {
    if (isMissingFile(thrown)) return []
    throw thrown
  }
}

/** Returns undefined for a file that another process removed meanwhile. */
async function readStat(path: string): Promise<{ size: number; mtimeMs: number } | undefined> {
  try {
    return await stat(path)
  } catch (thrown) {
    if (isMissingFile(thrown)) return undefined
    throw thrown
  }
}

/** Another sweep may have done the same concurrently. */
async function ignoreMissing(done: Promise<void>): Promise<void> {
  try {
    await done
  } catch (thrown) {
    if (!isMissingFile(thrown)) throw thrown
  }
}

function isMissingFile(thrown: unknown): boolean {
  return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'
}

async function withSweepErrors<T>(folder: string, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (thrown) {
    const reason = messageOf(thrown)
    throw error('STORE_UNAVAILABLE', `cannot sweep the blobs below ${folder}: ${reason}`, {
      details: { folder, reason },
      cause: thrown,
    })
  }
}
