import { chmodSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createBlobs } from './blobs.ts'

const bytes = new TextEncoder().encode('content')

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-blobs-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test('a damaged blob is not returned, and the next put repairs it', async () => {
  const blobs = createBlobs(folder)
  const hash = await blobs.put(bytes)
  const path = join(folder, hash.slice(0, 2), hash)
  chmodSync(path, 0o600)
  writeFileSync(path, 'damaged')
  await expect(blobs.get(hash)).rejects.toMatchObject({ code: 'STATE_INVALID', details: { path } })
  await blobs.put(bytes)
  expect(Buffer.from(await blobs.get(hash)).toString()).toBe('content')
})

test('a put leaves no file besides the blob', async () => {
  const blobs = createBlobs(folder)
  const hash = await blobs.put(bytes)
  await blobs.put(bytes)
  expect(readdirSync(folder)).toEqual([hash.slice(0, 2)])
  expect(readdirSync(join(folder, hash.slice(0, 2)))).toEqual([hash])
})

test('the error names a file that is in the place of a folder', async () => {
  const blobs = createBlobs(join(folder, 'blobs'))
  writeFileSync(join(folder, 'blobs'), '')
  await expect(blobs.put(bytes)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    message: expect.stringContaining(join(folder, 'blobs')),
  })
})
