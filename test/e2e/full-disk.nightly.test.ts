import { spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifyExport } from '../verifier/verify.ts'
import { createSandbox, type Sandbox, requireSuccess, waitUntil } from './sandbox.ts'
import { expectRefused } from './expect-refused.ts'
import { initDevStack, findLostObjects, parseExport, upArgs } from './exported-state.ts'

/**
 * The home is a small tmpfs, which a test can fill or mount for reading only. File permissions would
 * not prevent writes, because the tests run as root.
 */
let sandbox: Sandbox

beforeAll(async () => {
  sandbox = createSandbox('many')
  mkdirSync(sandbox.home)
  mount('-t', 'tmpfs', '-o', 'size=32m', 'tmpfs', sandbox.home)
  await initDevStack(sandbox)
})

afterAll(() => {
  spawnSync('umount', ['-l', sandbox.home])
  sandbox.remove()
})

function mount(...args: string[]): void {
  const result = spawnSync('mount', args, { encoding: 'utf8' })
  if (result.status !== 0)
    throw new Error(`this test needs root to mount a file system: ${result.stderr}`)
}

function fillDisk(file: string): void {
  for (let size = 1_048_576; size >= 1; size = Math.floor(size / 4))
    try {
      for (;;) appendFileSync(file, Buffer.alloc(size))
    } catch {
      // No further piece of this size fits.
    }
}

test('a full disk stops a deployment long before its last create, and no object is lost', async () => {
  const running = sandbox.start([...upArgs, '-p', '2'], { env: { DELAY: '200' } })
  await waitUntil(() => sandbox.listObjects().length >= 4, { condition: 'four objects' })
  const filler = join(sandbox.home, 'filler')
  fillDisk(filler)
  const objectsAtFill = sandbox.listObjects().length
  await waitUntil(() => running.readOutput().includes('it is kept in memory and retried'), {
    condition: 'the message about the kept result',
  })
  // Records that fit into the space of SQLite's log file are still written. The deployment stops
  // long before its 50 creates.
  expect(sandbox.listObjects().length).toBeLessThan(objectsAtFill + 20)
  expectRefused(await sandbox.run(upArgs), 'STACK_BUSY', ['antichain up'])
  // A user who does not want to make room abandons the kept results.
  running.kill('SIGINT', 'process')
  await waitUntil(() => running.readOutput().includes('Ctrl-C again'), {
    condition: 'the first Ctrl-C',
  })
  running.kill('SIGINT', 'process')
  expect((await running.done).exit).not.toBe(0)
  expect(sandbox.listProcesses()).toEqual([])
  expectRefused(await sandbox.run(upArgs), 'STORE_UNAVAILABLE', [sandbox.home])
  rmSync(filler)
  requireSuccess(await sandbox.run(upArgs, { env: { DELAY: '0' } }))
  const text = await sandbox.exportState()
  expect(verifyExport(text, { sealed: true })).toEqual([])
  expect(findLostObjects(sandbox, parseExport(text))).toEqual([])
})

test('outcomes are kept in memory while the disk is full, and written once it has space', async () => {
  const clear = ['refresh', '-y', '--skip-preview', '--clear-pending-creates', '-s', 'dev']
  requireSuccess(await sandbox.run(clear))
  requireSuccess(await sandbox.run(['destroy', '--yes', '--skip-preview', '-s', 'dev']))
  const objectCount = sandbox.listObjects().length
  // With GOLD_ASKED, the provider also records requests that it has not answered.
  const env = { COUNT: '20', DELAY: '2000', GOLD_ASKED: '1' }
  const running = sandbox.start([...upArgs, '-p', '8'], { env })
  await waitUntil(() => sandbox.listChanges().length >= 8, { condition: 'eight creates' })
  const filler = join(sandbox.home, 'filler')
  fillDisk(filler)
  await waitUntil(() => running.readOutput().includes('it is kept in memory and retried'), {
    condition: 'the message about the kept result',
  })
  // A user needs some time to free space.
  await new Promise(done => setTimeout(done, 25_000))
  expect(sandbox.listChanges()).toHaveLength(8)
  rmSync(filler)
  requireSuccess(await running.done)
  expect(sandbox.listChanges()).toHaveLength(20)
  expect(sandbox.listObjects()).toHaveLength(objectCount + 20)
  const state = parseExport(await sandbox.exportState())
  expect(state.pending).toEqual([])
  expect(state.resources.filter(({ name }) => name.startsWith('thing-'))).toHaveLength(20)
})

test('a home that is not writable is refused before the program runs', async () => {
  const before = sandbox.listCalls().length
  mount('-o', 'remount,ro', sandbox.home)
  try {
    expectRefused(await sandbox.run(upArgs), 'STORE_UNAVAILABLE', [sandbox.home])
  } finally {
    mount('-o', 'remount,rw', sandbox.home)
  }
  expect(sandbox.listCalls()).toHaveLength(before)
  requireSuccess(await sandbox.run(upArgs, { env: { DELAY: '0' } }))
})
