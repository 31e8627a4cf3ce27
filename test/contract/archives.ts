import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ArchivesPort, BlobsPort } from '../../shared/ports/records.ts'
import type { BlobSweepPort } from '../../shared/ports/retention.ts'
import { archiveNameOf } from '../../shared/records/archive-name.ts'
import type { BlobHash, StackId } from '../../shared/records/ids.ts'
import { createStackId, type OpenAdapter, toEpochMs, withAdapter } from './open-adapter.ts'

interface Ports {
  readonly archives: ArchivesPort
  readonly blobs: BlobsPort
  readonly blobSweep: BlobSweepPort
}

/** Tests archives: bytes that each belong to one stack. */
export function defineArchivesContract(name: string, open: OpenAdapter<Ports>): void {
  describe(`archives: ${name}`, () => {
    let ports: Ports
    withAdapter(open, adapter => {
      ports = adapter
    })
    let [own, other]: StackId[] = []
    beforeEach(() => {
      ;[own, other] = [createStackId(), createStackId()]
    })
    const stacks = (): { readonly own: StackId; readonly other: StackId } => {
      if (own === undefined || other === undefined) throw new Error('the test has no stacks')
      return { own, other }
    }
    const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(`${name} ${text}`)
    const hashOf = (bytes: Uint8Array): BlobHash =>
      createHash('sha256').update(bytes).digest('hex') as BlobHash

    test('only the stack of an archive can read it', async () => {
      const bytes = bytesOf('own')
      const archive = await ports.archives.put(stacks().own, bytes)
      expect(archive).toBe(archiveNameOf(stacks().own, hashOf(bytes)))
      expect(await ports.archives.readContentHash(archive)).toBe(hashOf(bytes))
      expect(Buffer.from(await ports.archives.get(stacks().own, archive)).equals(bytes)).toBe(true)
      const read = ports.archives.get(stacks().other, archive)
      await expect(read).rejects.toMatchObject({ code: 'STATE_INVALID' })
    })

    test('two stacks have the same bytes under two names', async () => {
      const bytes = bytesOf('shared')
      const first = await ports.archives.put(stacks().own, bytes)
      const otherName = archiveNameOf(stacks().other, hashOf(bytes))
      expect(await ports.archives.readContentHash(otherName)).toBeUndefined()
      const second = await ports.archives.put(stacks().other, bytes)
      expect(second).toBe(otherName)
      expect(second).not.toBe(first)
      expect(Buffer.from(await ports.archives.get(stacks().other, second)).equals(bytes)).toBe(true)
    })

    test('a blob has no name of an archive, but a stack can read it by its SHA-256, as older records do', async () => {
      const bytes = bytesOf('a blob')
      const hash = await ports.blobs.put(bytes)
      const archive = archiveNameOf(stacks().own, hash)
      expect(await ports.archives.readContentHash(archive)).toBeUndefined()
      await expect(ports.archives.get(stacks().own, archive)).rejects.toMatchObject({
        code: 'STATE_INVALID',
      })
      expect(Buffer.from(await ports.archives.get(stacks().own, hash)).equals(bytes)).toBe(true)
    })

    // The sweep of blobs sets unreferenced archives aside: they stay readable, and are removed later
    // unless they are put again.
    test('an archive that is set aside must be put again, and then outlives the sweep', async () => {
      const bytes = bytesOf('swept')
      const archive = await ports.archives.put(stacks().own, bytes)
      await ports.blobSweep.setAside(archive, toEpochMs(5_000))
      expect(await ports.archives.readContentHash(archive)).toBeUndefined()
      expect(Buffer.from(await ports.archives.get(stacks().own, archive)).equals(bytes)).toBe(true)
      await ports.archives.put(stacks().own, bytes)
      await ports.blobSweep.remove(archive)
      expect(await ports.archives.readContentHash(archive)).toBe(hashOf(bytes))
    })
  })
}
