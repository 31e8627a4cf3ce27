import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type EpochMs, stackIdOf } from '../../records/ids.ts'
import { openEmbeddedPlatform } from './embedded-platform.ts'

const first = stackIdOf('p', 'first')
const second = stackIdOf('p', 'second')

let home: string
beforeEach(async () => {
  home = mkdtempSync(join(tmpdir(), 'antichain-late-'))
  await using platform = await openEmbeddedPlatform({ home })
  await platform.catalog.createStack(first, 1 as EpochMs)
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const openLate = () => openEmbeddedPlatform({ home, connectsLate: true })

test('a process that only reads does not own the store, and sees the writes of its owner', async () => {
  await using reader = await openLate()
  await using owner = await openEmbeddedPlatform({ home })
  await owner.catalog.createStack(second, 2 as EpochMs)
  const { stacks } = await reader.catalog.listStacks()
  expect(stacks.map(({ id }) => id)).toEqual([first, second])
  expect([reader.getRole(), owner.getRole()]).toEqual(['none', 'owner'])
})

test('the first write connects the process, which then reads what it wrote', async () => {
  await using platform = await openLate()
  expect(await platform.catalog.getStack(second)).toBeUndefined()
  const [isCreated, existing] = await Promise.all([
    platform.catalog.createStack(second, 2 as EpochMs),
    platform.catalog.getStack(first),
  ])
  expect([isCreated, existing?.id]).toEqual([true, first])
  expect(await platform.catalog.getStack(second)).toMatchObject({ id: second })
  expect(platform.getRole()).toBe('owner')
})

test('a process that starts to connect becomes the owner without a write, and answers reads', async () => {
  await using platform = await openLate()
  platform.startConnecting()
  expect(await platform.catalog.getStack(first)).toMatchObject({ id: first })
  await vi.waitFor(() => expect(platform.getRole()).toBe('owner'))
  expect(await platform.catalog.createStack(second, 2 as EpochMs)).toBe(true)
})

test('a platform that is closed while it connects leaves the ownership to the next one', async () => {
  const platform = await openLate()
  platform.startConnecting()
  await platform.close()
  await using next = await openEmbeddedPlatform({ home })
  expect(next.getRole()).toBe('owner')
})

test('a write beside an owner makes the process its client', async () => {
  await using owner = await openEmbeddedPlatform({ home })
  await using platform = await openLate()
  expect(await platform.catalog.createStack(second, 2 as EpochMs)).toBe(true)
  expect([owner.getRole(), platform.getRole()]).toEqual(['owner', 'client'])
})

test('a new home, and a store of another version, are handled as without `connectsLate`', async () => {
  await using platform = await openEmbeddedPlatform({ home: join(home, 'new'), connectsLate: true })
  expect(platform.getRole()).toBe('owner')
  const database = new DatabaseSync(join(home, 'store', 'antichain.db'))
  database.exec('UPDATE schema SET version = 999')
  database.close()
  await expect(openLate()).rejects.toMatchObject({ code: 'STORE_TOO_NEW' })
})

test('the records of a process that was killed are read', async () => {
  // Records in the write-ahead log, as after a kill: no connection has copied them to the file.
  const owner = await openEmbeddedPlatform({ home })
  await owner.catalog.createStack(second, 2 as EpochMs)
  const copy = mkdtempSync(join(tmpdir(), 'antichain-killed-'))
  cpSync(join(home, 'store'), join(copy, 'store'), {
    recursive: true,
    filter: path => !/-shm$|socket$|owner/.test(path),
  })
  await owner.close()
  await using reader = await openEmbeddedPlatform({ home: copy, connectsLate: true })
  expect(await reader.catalog.getStack(second)).toMatchObject({ id: second })
  expect(reader.getRole()).toBe('none')
  rmSync(copy, { recursive: true })
})
