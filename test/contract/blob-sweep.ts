import { describe, expect, test } from 'vitest'
import type { BlobsPort } from '../../shared/ports/records.ts'
import type { BlobEntry, BlobSweepPort } from '../../shared/ports/retention.ts'
import type { BlobHash } from '../../shared/records/ids.ts'
import { type OpenAdapter, toEpochMs, withAdapter } from './open-adapter.ts'

interface Ports {
  readonly blobs: BlobsPort
  readonly blobSweep: BlobSweepPort
}

/** Tests the removal of blobs in two steps. */
export function defineBlobSweepContract(name: string, open: OpenAdapter<Ports>): void {
  describe(`blob sweep: ${name}`, () => {
    let ports: Ports
    withAdapter(open, adapter => {
      ports = adapter
    })

    const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(`${name} ${text}`)
    const listEntries = async (hash: BlobHash): Promise<readonly BlobEntry[]> => {
      const matches: BlobEntry[] = []
      let cursor: string | undefined = ''
      while (cursor !== undefined) {
        const page: Awaited<ReturnType<BlobSweepPort['list']>> = await ports.blobSweep.list(cursor)
        matches.push(...page.blobs.filter(blob => blob.hash === hash))
        cursor = page.next
      }
      return matches
    }

    test('a stored blob is listed with its size and time', async () => {
      const before = Date.now() - 2_000
      const hash = await ports.blobs.put(bytesOf('listed'))
      const [entry] = await listEntries(hash)
      expect(entry).toMatchObject({ sizeBytes: bytesOf('listed').length, isSetAside: false })
      expect(entry?.changedAtMs).toBeGreaterThan(before)
    })

    test('a blob that is set aside can still be read, and be restored', async () => {
      const hash = await ports.blobs.put(bytesOf('aside'))
      await ports.blobSweep.setAside(hash, toEpochMs(5_000))
      await ports.blobSweep.setAside(hash, toEpochMs(9_000))
      expect(await listEntries(hash)).toMatchObject([{ changedAtMs: 5_000, isSetAside: true }])
      expect(Buffer.from(await ports.blobs.get(hash)).equals(bytesOf('aside'))).toBe(true)
      await ports.blobSweep.putBack(hash)
      await ports.blobSweep.putBack(hash)
      expect(await listEntries(hash)).toMatchObject([{ isSetAside: false }])
    })

    test('a blob that is set aside is removed unless it was put again', async () => {
      const hash = await ports.blobs.put(bytesOf('again'))
      await ports.blobSweep.remove(hash)
      await ports.blobSweep.setAside(hash, toEpochMs(5_000))
      await ports.blobs.put(bytesOf('again'))
      await ports.blobSweep.remove(hash)
      expect(Buffer.from(await ports.blobs.get(hash)).equals(bytesOf('again'))).toBe(true)
      await ports.blobSweep.setAside(hash, toEpochMs(5_000))
      await ports.blobSweep.remove(hash)
      await expect(ports.blobs.get(hash)).rejects.toMatchObject({ code: 'STATE_INVALID' })
      expect(await listEntries(hash)).toEqual([])
    })
  })
}
