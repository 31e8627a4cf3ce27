import type { ArchivesPort, BlobsPort } from '../../ports/records.ts'
import { archiveNameOf } from '../../records/archive-name.ts'
import type { BlobHash } from '../../records/ids.ts'

/** A function that returns the name of a blob for the SHA-256 of its bytes. */
export type BlobNaming = (contentHash: BlobHash) => BlobHash

/**
 * Creates the archives of stacks in a blob store. `openBlobs` opens the store with a function that
 * names its blobs. The opened store finds bytes by the name from this function, or by their
 * SHA-256. It refuses stored bytes if neither their name nor their SHA-256 is the requested one.
 */
export function createArchives(
  openBlobs: (nameOf: BlobNaming) => BlobsPort,
  readContentHash: ArchivesPort['readContentHash'],
): ArchivesPort {
  return {
    put: (stack, bytes) => openBlobs(hash => archiveNameOf(stack, hash)).put(bytes),
    get: (stack, name) => openBlobs(hash => archiveNameOf(stack, hash)).get(name),
    readContentHash,
  }
}
