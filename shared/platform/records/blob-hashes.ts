import type { BlobHash } from '../../records/ids.ts'

/**
 * Returns the sequences of 64 hexadecimal digits in the text of a record. Each may be the hash of a
 * blob.
 */
export function findBlobHashes(text: string): readonly BlobHash[] {
  return (text.match(/\b[0-9a-f]{64}\b/g) ?? []) as BlobHash[]
}
