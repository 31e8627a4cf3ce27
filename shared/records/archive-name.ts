import { createHash } from 'node:crypto'
import type { BlobHash, StackId } from './ids.ts'

/**
 * Returns the name under which the blob store keeps an archive of a stack. `contentHash` is the
 * SHA-256 of the bytes. The name belongs to one stack: the blob of another stack, a snapshot or
 * another record has another name. Pure. Source: decision 21.
 */
export function archiveNameOf(stack: StackId, contentHash: BlobHash): BlobHash {
  const text = `archive of ${stack}: ${contentHash}`
  return createHash('sha256').update(text).digest('hex') as BlobHash
}
