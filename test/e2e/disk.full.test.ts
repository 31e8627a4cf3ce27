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
  await until(() => running.said().includes('is kept until it can'), { what: 'a word about it' })
  // What fits into the log's file still counts; the deployment stops long before its 50 creates.
  expect(place.objects().length).toBeLessThan(atFill + 20)
  expectRefused(await place.run(up), 'STACK_BUSY', ['antichain up'])
  // Who does not want to make room abandons what is kept.
  running.kill('SIGINT', 'process')
  await until(() => running.said().includes('Ctrl-C again'), { what: 'the first Ctrl-C' })
  running.kill('SIGINT', 'process')
  expect((await running.done).exit).not.toBe(0)
  expect(place.processes()).toEqual([])
  expectRefused(await place.run(up), 'STORE_UNAVAILABLE', [place.home])
  rmSync(filler)
  succeeded(await place.run(up, { env: { DELAY: '0' } }))
  const text = await place.exported()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  expect(lostObjects(place, readExport(text))).toEqual([])
})

test('outcomes of what ran are kept while the disk is full, and written once it has room', async () => {
  const clear = ['refresh', '-y', '--skip-preview', '--clear-pending-creates', '-s', 'dev']
  succeeded(await place.run(clear))
  succeeded(await place.run(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
  const left = place.objects().length
  const env = { COUNT: '20', DELAY: '2000', GOLD_ASKED: '1' }
  const running = place.start([...up, '-p', '8'], { env })
  await until(() => place.asked().length >= 8, { what: 'eight creates' })
  const filler = join(place.home, 'filler')
  fillDisk(filler)
  await until(() => running.said().includes('is kept until it can'), { what: 'a word about it' })
  // A person needs some time to make room.
  await new Promise(done => setTimeout(done, 25_000))
  expect(place.asked()).toHaveLength(8)
  rmSync(filler)
  succeeded(await running.done)
  expect(place.asked()).toHaveLength(20)
  expect(place.objects()).toHaveLength(left + 20)
  const state = readExport(await place.exported())
  expect(state.pending).toEqual([])
  expect(state.resources.filter(({ name }) => name.startsWith('thing-'))).toHaveLength(20)
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
