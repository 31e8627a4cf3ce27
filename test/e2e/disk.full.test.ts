import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, type Place, succeeded, until } from './place.ts'
import { expectRefused } from './refused.ts'
import { initStack, lostObjects, readExport, up } from './state.ts'

/** Tests run as root, so that rights stop nothing: the home is a small file system of its own. */
let place: Place

beforeAll(async () => {
  place = createPlace('many')
  mkdirSync(place.home)
  mount('-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', place.home)
  await initStack(place)
})

afterAll(() => {
  spawnSync('umount', ['-l', place.home])
  place.remove()
})

function mount(...words: string[]): void {
  const ran = spawnSync('mount', words, { encoding: 'utf8' })
  if (ran.status !== 0) throw new Error(`this test mounts a file system, as root: ${ran.stderr}`)
}

function fillDisk(file: string): void {
  for (let size = 1_048_576; size >= 1; size = Math.floor(size / 4))
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size))
    } catch {
      // No piece of this size fits any more.
    }
}

test('a full disk stops a deployment before any further provider call, and nothing is lost', async () => {
  const running = place.start([...up, '-p', '2'], { env: { DELAY: '200' } })
  await until(() => place.objects().length >= 4, { what: 'four objects' })
  const filler = join(place.home, 'filler')
  fillDisk(filler)
  const atFill = place.objects().length
  const ran = await running.done
  expectRefused(ran, 'STORE_UNAVAILABLE', [/disk is full|ENOSPC|no space/i])
  // What fits into the log's file still counts; the deployment ends long before its 50 creates.
  expect(place.objects().length).toBeLessThan(atFill + 20)
  expect(place.processes()).toEqual([])
  const full = await place.run(up)
  expectRefused(full, 'STORE_UNAVAILABLE', [place.home])
  rmSync(filler)
  succeeded(await place.run(up, { env: { DELAY: '0' } }))
  const text = await place.exported()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  expect(lostObjects(place, readExport(text))).toEqual([])
})

test('a home that cannot be written is refused before the program runs', async () => {
  const before = place.calls().length
  mount('-o', 'remount,ro', place.home)
  try {
    expectRefused(await place.run(up), 'STORE_UNAVAILABLE', [place.home])
  } finally {
    mount('-o', 'remount,rw', place.home)
  }
  expect(place.calls()).toHaveLength(before)
  succeeded(await place.run(up, { env: { DELAY: '0' } }))
})
