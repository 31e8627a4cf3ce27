import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { unpackStream } from '../../../shared/providers/install/unpack-stream.ts'
import { openArchive } from '../../../shared/values/archive-members.ts'
import { bombTar, damagedTars, hostileTars } from './hostile-archives.ts'

let folder: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-archives-'))
  mkdirSync(join(folder, 'target'))
  writeFileSync(join(folder, 'victim'), 'kept')
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Unpacks an archive of a program or a plugin, and checks that no file beside it has changed. */
async function unpack(bytes: Uint8Array): Promise<void> {
  const limits = { filesMax: 1_000, bytesMax: 1_000_000 }
  const options = { targetFolder: join(folder, 'target'), name: 'archive of p', limits }
  try {
    await unpackStream(Readable.from([bytes]), options)
  } finally {
    expect(readdirSync(folder).toSorted()).toEqual(['target', 'victim'])
    expect(readFileSync(join(folder, 'victim'), 'utf8')).toBe('kept')
  }
}

describe.each([
  ['compressed', gzipSync],
  ['plain', (bytes: Uint8Array) => bytes],
] as const)('a %s archive of a program or plugin', (_form, convert) => {
  test.each(hostileTars)('with %s is refused, and the error names the entry', async (...row) => {
    const [, bytes, entry] = row
    const error = await unpack(convert(bytes)).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ code: 'ARCHIVE_UNREADABLE' })
    expect(String(error)).toMatch(/cannot unpack the archive of p: .* \(entry "/)
    expect(String(error)).toContain(JSON.stringify(entry).slice(1, -1))
  })

  test.each(damagedTars)('that is %s is refused', async (_what, bytes) => {
    await expect(unpack(convert(bytes))).rejects.toMatchObject({ code: 'ARCHIVE_UNREADABLE' })
  })

  test('with a large file is refused before it is written', async () => {
    await expect(unpack(convert(bombTar))).rejects.toMatchObject({ code: 'ARCHIVE_TOO_LARGE' })
    expect(readdirSync(join(folder, 'target'))).toEqual([])
  })
})

test.each(damagedTars)('an archive of an asset that is %s is refused', async (_what, bytes) => {
  for (const [name, archive] of [
    ['a.tar.gz', gzipSync(bytes)],
    ['a.tar', bytes],
  ] as const)
    await expect(openArchive(name, archive)).rejects.toMatchObject({
      code: 'RESOURCE_INVALID',
      message: expect.stringMatching(`cannot read the archive '${name}': .`),
    })
})
