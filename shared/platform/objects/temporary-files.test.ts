import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createFileObjects } from './file-objects.ts'
import { createTemporaryPath } from './temporary-files.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-leftovers-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const ownMark = `-${process.pid}-`
/**
 * Writes a temporary file whose name has `pidMark`, the pid of its writer between hyphens. The file
 * was last changed `ageMinutes` ago.
 */
function leave(key: string, pidMark: string, ageMinutes: number): string {
  const path = createTemporaryPath(join(folder, key)).replace(ownMark, pidMark)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'half')
  const at = Date.now() / 1000 - ageMinutes * 60
  utimesSync(path, at, at)
  return path
}
/** Returns the id of a process that has ended. */
const findDeadPid = (): number => spawnSync('true').pid
const open = () => createFileObjects(folder, { hasAttributes: true })

test('a write removes old temporary files of dead processes in its folder, and no others', async () => {
  const deadMark = `-${findDeadPid()}-`
  const old = leave('stacks/shop/dev.json', deadMark, 61)
  const young = leave('stacks/shop/dev.json', deadMark, 59)
  const living = leave('stacks/shop/dev.json', ownMark, 61)
  const parent = leave('stacks/shop/dev.json', `-${process.ppid}-`, 600)
  // An older version wrote names without a pid.
  const unnamed = join(
    folder,
    `stacks/shop/a.antichain-tmp-${'0'.repeat(8)}-1111-4111-8111-${'1'.repeat(12)}`,
  )
  writeFileSync(unnamed, '')
  utimesSync(unnamed, 1, 1)
  const elsewhere = leave('stacks/mall/dev.json', deadMark, 61)
  await open().put('stacks/shop/dev.json', Buffer.from('{}'))
  expect([old, unnamed].map(existsSync)).toEqual([false, false])
  expect([young, living, parent, elsewhere].map(existsSync)).toEqual([true, true, true, true])
  expect(readdirSync(join(folder, 'stacks/shop')).toSorted()).toEqual(
    [
      'dev.json',
      'dev.json.attrs',
      ...[young, living, parent].map(path => basename(path)),
    ].toSorted(),
  )
})

test('a write also removes the old temporary files that an earlier listing found in other folders', async () => {
  const part = leave('journal/shop/dev/copy/00000007.json', `-${findDeadPid()}-`, 61)
  const store = open()
  expect(await store.list('journal/')).toEqual([])
  expect(existsSync(part)).toBe(true)
  await store.put('locks/a', Buffer.from('x'))
  expect(existsSync(part)).toBe(false)
})

test('a write whose temporary file is removed by another host writes it again', async () => {
  const store = open()
  await store.put('a', Buffer.from('x'))
  const text = 'y'.repeat(100_000)
  let removed = 0
  let isOver = false
  const removing = (async () => {
    for (; !isOver && removed === 0; await new Promise(setImmediate)) {
      const name = readdirSync(folder).find(entry => entry.startsWith('b.antichain-tmp-'))
      if (name === undefined) continue
      // The write may have published the file already.
      rmSync(join(folder, name), { force: true })
      removed += 1
    }
  })()
  for (let count = 0; count < 100 && removed === 0; count += 1)
    await store.put('b', Buffer.from(text))
  isOver = true
  await removing
  expect(removed).toBe(1)
  expect(String(await store.get('b'))).toBe(text)
  expect(readdirSync(folder).toSorted()).toEqual(['a', 'a.attrs', 'b', 'b.attrs'])
})
