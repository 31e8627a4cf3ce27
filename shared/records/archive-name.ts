import { createHash } from 'node:crypto'
import type { BlobHash, StackId } from './ids.ts'

/**
 * Returns the name under which the blob store keeps an archive of a stack. `contentHash` is the
 * SHA-256 of the bytes. No other blob has this name, also not the same archive of another stack.
 * Pure. Source: decision 21.
 */
export function archiveNameOf(stack: StackId, contentHash: BlobHash): BlobHash {
  const text = `archive of ${stack}: ${contentHash}`
  return createHash('sha256').update(text).digest('hex') as BlobHash
}
