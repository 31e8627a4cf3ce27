import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import type { BlobsPort } from '../../shared/ports/records.ts'
import type { BlobHash } from '../../shared/records/ids.ts'
import { type OpenAdapter, toBlobHash, withAdapter } from './open-adapter.ts'

/** Tests blobs: immutable bytes, addressed by their hash. */
export function defineBlobsContract(
  name: string,
  open: OpenAdapter<{ readonly blobs: BlobsPort }>,
): void {
  describe(`blobs: ${name}`, () => {
    let blobs: BlobsPort
    withAdapter(open, adapter => {
      blobs = adapter.blobs
    })

    test.each([0, 1, 3_000_000])('%i bytes are read as they were put', async size => {
      const bytes = new Uint8Array(size).fill(size % 251)
      const hash = await blobs.put(bytes)
      expect(hash).toBe(createHash('sha256').update(bytes).digest('hex'))
      expect(Buffer.from(await blobs.get(hash)).equals(bytes)).toBe(true)
    })

    test('the same bytes may be put concurrently and repeatedly', async () => {
      const bytes = new TextEncoder().encode(`twice ${name}`)
      const hashes = await Promise.all([1, 2, 3].map(() => blobs.put(bytes)))
      expect(new Set([...hashes, await blobs.put(bytes)]).size).toBe(1)
    })

    test('a read of a missing blob is refused', async () => {
      await expect(blobs.get(toBlobHash('0'))).rejects.toMatchObject({ code: 'STATE_INVALID' })
    })

    test('a read with an invalid hash is refused', async () => {
      const path = '../../etc/passwd' as BlobHash
      await expect(blobs.get(path)).rejects.toMatchObject({ code: 'STATE_INVALID' })
    })
  })
}
