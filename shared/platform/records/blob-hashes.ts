import type { BlobHash } from '../../records/ids.ts'

/** Returns each text of a record that may name a blob: 64 hexadecimal digits. */
export function findBlobHashes(text: string): readonly BlobHash[] {
  return (text.match(/\b[0-9a-f]{64}\b/g) ?? []) as BlobHash[]
}
