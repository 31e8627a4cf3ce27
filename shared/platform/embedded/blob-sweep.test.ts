import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { BlobHash, EpochMs } from '../../records/ids.ts'
import { createBlobSweep } from './blob-sweep.ts'
import { createBlobs } from './blobs.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-blobs-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/**
 * Creates the file that a writer leaves when it crashes before the rename. Returns the file's name.
 */
function leaveUnfinished(hash: BlobHash, at: number): string {
  const name = `${hash}.${crypto.randomUUID()}`
  const path = join(folder, hash.slice(0, 2), name)
  writeFileSync(path, 'half')
  utimesSync(path, at / 1000, at / 1000)
  return name
}

test('old unfinished files are removed, but a dry run only counts them; complete blobs and recent files stay', async () => {
  const hash = await createBlobs(folder).put(new TextEncoder().encode('whole'))
  const at = Date.now()
  leaveUnfinished(hash, at - 5_000)
  const young = leaveUnfinished(hash, at)
  const sweep = createBlobSweep(folder)
  const before = (at - 1_000) as EpochMs
  expect(await sweep.removeUnfinished(before, true)).toEqual({ count: 1, bytes: 4 })
  expect(readdirSync(join(folder, hash.slice(0, 2)))).toHaveLength(3)
  expect(await sweep.removeUnfinished(before, false)).toEqual({ count: 1, bytes: 4 })
  expect(readdirSync(join(folder, hash.slice(0, 2))).sort()).toEqual([hash, young].sort())
  expect(await sweep.removeUnfinished(before, false)).toEqual({ count: 0, bytes: 0 })
})
