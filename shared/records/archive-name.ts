import { createHash } from 'node:crypto'
import type { BlobHash, StackId } from './ids.ts'

/**
 * Returns the name under which the blob store keeps an archive of a stack. `contentHash` is the
 * SHA-256 of the bytes. Neither another blob nor the same archive of another stack has this name.
 * Pure. Source: docs/decisions/0021-an-archive-belongs-to-one-stack.md.
 */
export function archiveNameOf(stack: StackId, contentHash: BlobHash): BlobHash {
  const text = `archive of ${stack}: ${contentHash}`
  return createHash('sha256').update(text).digest('hex') as BlobHash
}
