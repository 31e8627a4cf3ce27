import { gzipSync } from 'node:zlib'
import { Header } from 'tar'
import { expect, test } from 'vitest'
import { openArchive } from './archive-members.ts'

/** Returns a tar file with one file, without the blocks of zeros after it. */
function createTar(name: string, text: string): Buffer {
  const block = Buffer.alloc(512)
  new Header({ path: name, type: 'File', size: text.length, mode: 0o644 }).encode(block, 0)
  return Buffer.concat([block, Buffer.from(text)])
}

// Go's archive/tar reads these files, so Pulumi deploys them.
test.each([
  ['no bytes', Buffer.alloc(0)],
  ['two blocks of zeros, as Go writes them', Buffer.alloc(1_024)],
  ['twenty blocks of zeros, as GNU tar writes them', Buffer.alloc(10_240)],
])('a tar file with %s has no files', async (_what, bytes) => {
  expect(await openArchive('a.tar', bytes)).toEqual([])
  expect(await openArchive('a.tgz', gzipSync(bytes))).toEqual([])
})

test('a file that is not padded to a whole block is complete', async () => {
  const tar = createTar('a.txt', 'hello')
  const files = [{ name: 'a.txt', data: Buffer.from('hello') }]
  expect(await openArchive('a.tar', tar)).toEqual(files)
  expect(await openArchive('a.tgz', gzipSync(tar))).toEqual(files)
})

test('a file without its last byte is refused', async () => {
  const tar = createTar('a.txt', 'hello').subarray(0, -1)
  for (const [name, bytes] of [
    ['a.tar', tar],
    ['a.tgz', gzipSync(tar)],
  ] as const)
    await expect(openArchive(name, bytes)).rejects.toThrow('Truncated input')
})
