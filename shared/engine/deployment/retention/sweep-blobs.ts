import { limits } from '../../../config/limits.ts'
import type { BlobEntry, BlobSweepPort, RetentionPort } from '../../../ports/retention.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { BlobHash, EpochMs } from '../../../records/ids.ts'

/**
 * The numbers of blobs that a sweep changed. After a dry run: those that a sweep would change. The
 * fields have the names that `stack prune --json` prints.
 */
export interface BlobSweepResult {
  readonly setAside: number
  readonly removed: number
  readonly putBack: number
  /** Number of removed incomplete blobs, whose writers died. */
  readonly unfinished: number
  /** Total size of the removed blobs, with the incomplete ones, in bytes. */
  readonly bytes: number
}

/**
 * Sets aside the blobs that no record names, unless they were put within the grace time before the
 * sweep. Puts back a blob that a record names again. Removes the blobs that were set aside longer
 * ago than the grace time, and incomplete blobs of that age. A writer puts a blob, then writes its
 * reference within the grace time. Thus a new blob is too young to be set aside, and an existing
 * blob is referenced before its removal. The sweep can stop at any point, and sweeps can run
 * concurrently.
 */
export async function sweepBlobs(
  deps: {
    readonly retention: RetentionPort
    readonly blobSweep: BlobSweepPort
    readonly clock: ClockPort
  },
  { dryRun }: { readonly dryRun: boolean },
): Promise<BlobSweepResult> {
  const startedAtMs = deps.clock.now()
  const referencedHashes = await readReferences(deps.retention)
  const writtenBefore = (startedAtMs - limits.blobGraceMs) as EpochMs
  const { count, bytes } = await deps.blobSweep.removeUnfinished(writtenBefore, dryRun)
  const result = { setAside: 0, removed: 0, putBack: 0, unfinished: count, bytes }
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const page: Awaited<ReturnType<BlobSweepPort['list']>> = await deps.blobSweep.list(cursor)
    for (const blob of page.blobs) {
      const change = decideBlobChange(blob, referencedHashes, startedAtMs)
      if (change === 'none') continue
      result[change] += 1
      if (change === 'removed') result.bytes += blob.sizeBytes
      if (dryRun) continue
      if (change === 'putBack') await deps.blobSweep.putBack(blob.hash)
      else if (change === 'setAside') await deps.blobSweep.setAside(blob.hash, startedAtMs)
      else await deps.blobSweep.remove(blob.hash)
    }
    cursor = page.next
  }
  return result
}

/** Decides whether a blob stays as it is, is put back, set aside or removed. Pure. */
function decideBlobChange(
  { hash, changedAtMs, isSetAside }: BlobEntry,
  referencedHashes: ReadonlySet<BlobHash>,
  startedAtMs: number,
): 'none' | 'putBack' | 'setAside' | 'removed' {
  if (referencedHashes.has(hash)) return isSetAside ? 'putBack' : 'none'
  if (changedAtMs + limits.blobGraceMs > startedAtMs) return 'none'
  return isSetAside ? 'removed' : 'setAside'
}

async function readReferences(retention: RetentionPort): Promise<ReadonlySet<BlobHash>> {
  const referencedHashes = new Set<BlobHash>()
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const page: Awaited<ReturnType<RetentionPort['listReferences']>> =
      await retention.listReferences(cursor)
    for (const hash of page.hashes) referencedHashes.add(hash)
    cursor = page.next
  }
  return referencedHashes
}
