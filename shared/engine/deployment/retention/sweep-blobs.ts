import { limits } from '../../../config/limits.ts'
import type { BlobEntry, BlobSweepPort, RetentionPort } from '../../../ports/retention.ts'
import type { ClockPort } from '../../../ports/system.ts'
import type { BlobHash, EpochMs } from '../../../records/ids.ts'

/** The result of a sweep, or of its dry run. */
export interface BlobSweepResult {
  readonly setAside: number
  readonly removed: number
  readonly putBack: number
  /** Incomplete blobs of writers that died. */
  readonly unfinished: number
  /** The size of the removed blobs. */
  readonly bytes: number
}

/**
 * Marks every blob that a record names, and sets aside the others. Removes the blobs that were set
 * aside more than a grace time before the mark, and incomplete blobs of that age. A writer puts a
 * blob, then writes its reference within the grace time. A new blob is thus too young to be set
 * aside, and an existing one is referenced before its removal. The sweep can stop anywhere and run
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
  const markedAt = deps.clock.now()
  const used = await readReferences(deps.retention)
  const graceEnd = (markedAt - limits.blobGraceMs) as EpochMs
  const { count, bytes } = await deps.blobSweep.removeUnfinished(graceEnd, dryRun)
  const swept = { setAside: 0, removed: 0, putBack: 0, unfinished: count, bytes }
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const page: Awaited<ReturnType<BlobSweepPort['list']>> = await deps.blobSweep.list(cursor)
    for (const blob of page.blobs) {
      const fate = fateOf(blob, used, markedAt)
      if (fate === 'stays') continue
      swept[fate] += 1
      if (fate === 'removed') swept.bytes += blob.bytes
      if (dryRun) continue
      if (fate === 'putBack') await deps.blobSweep.putBack(blob.hash)
      else if (fate === 'setAside') await deps.blobSweep.setAside(blob.hash, markedAt)
      else await deps.blobSweep.remove(blob.hash)
    }
    cursor = page.next
  }
  return swept
}

/** Decides whether a blob stays, is put back, set aside or removed. Pure. */
function fateOf(
  { hash, at, isAside }: BlobEntry,
  used: ReadonlySet<BlobHash>,
  markedAt: number,
): 'stays' | Exclude<keyof BlobSweepResult, 'bytes' | 'unfinished'> {
  if (used.has(hash)) return isAside ? 'putBack' : 'stays'
  if (at + limits.blobGraceMs > markedAt) return 'stays'
  return isAside ? 'removed' : 'setAside'
}

async function readReferences(retention: RetentionPort): Promise<ReadonlySet<BlobHash>> {
  const used = new Set<BlobHash>()
  let cursor: string | undefined = ''
  while (cursor !== undefined) {
    const page: Awaited<ReturnType<RetentionPort['listReferences']>> =
      await retention.listReferences(cursor)
    for (const hash of page.hashes) used.add(hash)
    cursor = page.next
  }
  return used
}
