import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { create } from 'tar'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { unpackStream } from './unpack-stream.ts'

const fileCount = 300
const blockBytes = 512
const limits = { filesMax: 1_000, bytesMax: 1_000_000 }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-unpack-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Returns a gzipped tar archive whose last header has a wrong checksum. */
async function createDamagedArchive(): Promise<Buffer> {
  const source = join(folder, 'source')
  mkdirSync(source)
  const names = Array.from({ length: fileCount }, (_, index) => `file-${index}`)
  for (const name of names) writeFileSync(join(source, name), name)
  const parts: Buffer[] = []
  for await (const part of create({ cwd: source, portable: true }, names)) parts.push(part)
  const bytes = Buffer.concat(parts)
  // Each file has a block for its header and a block for its text.
  bytes[2 * blockBytes * (fileCount - 1)] = 0x78
  return gzipSync(bytes)
}

test('unpackStream writes nothing after it has refused a damaged archive', async () => {
  const archive = Readable.from([await createDamagedArchive()])
  const targetFolder = join(folder, 'target')
  mkdirSync(targetFolder)
  const unpacking = unpackStream(archive, { targetFolder, name: 'archive', limits })
  await expect(unpacking).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' })
  const names = readdirSync(targetFolder)
  await sleep(100)
  expect(readdirSync(targetFolder)).toEqual(names)
})
