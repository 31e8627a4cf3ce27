import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createPlace, type Place, requireSuccess, waitUntil } from './place.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, lostObjects, readExport, upArgs } from './exported-state.ts'

/**
 * The home is a small file system of its own: tests run as root, so file permissions do not prevent
 * writes.
 */
let place: Place

beforeAll(async () => {
  place = createPlace('many')
  mkdirSync(place.home)
  mount('-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', place.home)
  await initDevStack(place)
})

afterAll(() => {
  spawnSync('umount', ['-l', place.home])
  place.remove()
})

function mount(...args: string[]): void {
  const ran = spawnSync('mount', args, { encoding: 'utf8' })
  if (ran.status !== 0) throw new Error(`this test mounts a file system, as root: ${ran.stderr}`)
}

function fillDisk(file: string): void {
  for (let size = 1_048_576; size >= 1; size = Math.floor(size / 4))
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size))
    } catch {
      // No further piece of this size fits.
    }
}

test('a full disk stops a deployment before any further provider call, and no object is lost', async () => {
  const running = place.start([...upArgs, '-p', '2'], { env: { DELAY: '200' } })
  await waitUntil(() => place.listObjects().length >= 4, { what: 'four objects' })
  const filler = join(place.home, 'filler')
  fillDisk(filler)
  const atFill = place.listObjects().length
  await waitUntil(() => running.readOutput().includes('it is kept in memory and retried'), {
    what: 'the message about the kept result',
  })
  // Records that fit into the allocated log file are still written. The deployment stops long
  // before its 50 creates.
  expect(place.listObjects().length).toBeLessThan(atFill + 20)
  expectRefused(await place.run(upArgs), 'STACK_BUSY', ['antichain up'])
  // A user who does not want to make room abandons the kept results.
  running.kill('SIGINT', 'process')
  await waitUntil(() => running.readOutput().includes('Ctrl-C again'), { what: 'the first Ctrl-C' })
  running.kill('SIGINT', 'process')
  expect((await running.done).exit).not.toBe(0)
  expect(place.listProcesses()).toEqual([])
  expectRefused(await place.run(upArgs), 'STORE_UNAVAILABLE', [place.home])
  rmSync(filler)
  requireSuccess(await place.run(upArgs, { env: { DELAY: '0' } }))
  const text = await place.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  expect(lostObjects(place, readExport(text))).toEqual([])
})

test('outcomes are kept in memory while the disk is full, and written once it has space', async () => {
  const clear = ['refresh', '-y', '--skip-preview', '--clear-pending-creates', '-s', 'dev']
  requireSuccess(await place.run(clear))
  requireSuccess(await place.run(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
  const left = place.listObjects().length
  const env = { COUNT: '20', DELAY: '2000', GOLD_ASKED: '1' }
  const running = place.start([...upArgs, '-p', '8'], { env })
  await waitUntil(() => place.listChanges().length >= 8, { what: 'eight creates' })
  const filler = join(place.home, 'filler')
  fillDisk(filler)
  await waitUntil(() => running.readOutput().includes('it is kept in memory and retried'), {
    what: 'the message about the kept result',
  })
  // A user needs some time to free space.
  await new Promise(done => setTimeout(done, 25_000))
  expect(place.listChanges()).toHaveLength(8)
  rmSync(filler)
  requireSuccess(await running.done)
  expect(place.listChanges()).toHaveLength(20)
  expect(place.listObjects()).toHaveLength(left + 20)
  const state = readExport(await place.exportState())
  expect(state.pending).toEqual([])
  expect(state.resources.filter(({ name }) => name.startsWith('thing-'))).toHaveLength(20)
})

test('a home that is not writable is refused before the program runs', async () => {
  const before = place.listCalls().length
  mount('-o', 'remount,ro', place.home)
  try {
    expectRefused(await place.run(upArgs), 'STORE_UNAVAILABLE', [place.home])
  } finally {
    mount('-o', 'remount,rw', place.home)
  }
  expect(place.listCalls()).toHaveLength(before)
  requireSuccess(await place.run(upArgs, { env: { DELAY: '0' } }))
})
