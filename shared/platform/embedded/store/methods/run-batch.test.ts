import { mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runBatch } from './run-batch.ts'
import { type Database, openDatabase } from '../database.ts'
import type { StoreRequest } from '../store-message.ts'

let folder: string
let database: Database
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-batch-'))
  database = openDatabase(join(folder, 'db'))
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

function createStack(id: number, stack: string): StoreRequest {
  return { id, method: 'catalog.createStack', args: { id: `o/p/${stack}`, at: 1, token: `${id}` } }
}

function append(id: number, number: number, size: number): StoreRequest {
  const args = { deployment: 'd', number, writer: 'w', record: JSON.stringify('x'.repeat(size)) }
  return { id, method: 'log.append', args }
}

const readLog: StoreRequest = {
  id: 99,
  method: 'log.read',
  args: { deployment: 'd', from: 0, limit: 100 },
}

test('a failed request undoes only its own changes', () => {
  const start = { id: 'o/p/none', start: {}, token: '' }
  const replies = runBatch(database, [
    createStack(1, 'a'),
    { id: 2, method: 'catalog.start', args: start },
    { id: 3, method: 'no.such', args: {} },
    { id: 4, method: 'log.append', args: { deployment: 'd', number: 0, writer: null, record: '' } },
    createStack(5, 'a'),
    createStack(6, 'b'),
  ])
  expect(replies).toEqual([
    { id: 1, value: true },
    { id: 2, failure: expect.objectContaining({ code: 'STACK_NOT_FOUND' }) },
    { id: 3, failure: expect.objectContaining({ code: 'INTERNAL_ASSERTION' }) },
    { id: 4, failure: expect.objectContaining({ code: 'INTERNAL_ASSERTION' }) },
    { id: 5, value: false },
    { id: 6, value: true },
  ])
  expect(database.isInTransaction()).toBe(false)
})

test('a request of several statements is atomic', () => {
  database.run("INSERT INTO history (stack, number, begun) VALUES ('o/p/a', 1, '{}')")
  const holder = { host: 'h', pid: 1, started: '', who: '' }
  const startInput = { command: 'up', message: '', holder, at: 1 }
  const [, started, read] = runBatch(database, [
    createStack(1, 'a'),
    { id: 2, method: 'catalog.start', args: { id: 'o/p/a', start: startInput, token: 't' } },
    { id: 3, method: 'catalog.stack', args: { id: 'o/p/a' } },
  ])
  expect(started).toMatchObject({ failure: { code: 'INTERNAL_ASSERTION' } })
  expect(read).toMatchObject({ value: { current: '', deployments: 0 } })
})

test('a commit is on disk, not only in a cache', () => {
  // The value 2 is FULL: SQLite syncs its log in each commit.
  expect(database.get('PRAGMA synchronous')).toMatchObject({ synchronous: 2 })
  expect(database.get('PRAGMA journal_mode')).toMatchObject({ journal_mode: 'wal' })
})

test('a read sees the earlier writes of its batch', () => {
  const [, read] = runBatch(database, [append(1, 0, 3), readLog])
  expect(read).toMatchObject({ value: { texts: ['"xxx"'], more: false } })
})

test('the name of an inherited property is not a method', () => {
  const [reply] = runBatch(database, [{ id: 1, method: 'constructor', args: {} }])
  expect(reply).toMatchObject({ failure: { code: 'INTERNAL_ASSERTION' } })
})

test('a full disk rolls back the whole batch, and the store works again once there is space', () => {
  runBatch(database, [append(1, 0, 10)])
  database.get(
    `PRAGMA max_page_count = ${Number(database.get('PRAGMA page_count')?.['page_count'])}`,
  )
  const failedReplies = runBatch(database, [
    append(2, 1, 10),
    append(3, 2, 500_000),
    append(4, 3, 10),
  ])
  for (const reply of failedReplies) {
    expect(reply).toMatchObject({
      failure: {
        code: 'STORE_UNAVAILABLE',
        details: { path: join(folder, 'db'), reason: 'the disk is full' },
      },
    })
  }
  expect(runBatch(database, [readLog])).toMatchObject([{ value: { texts: ['"xxxxxxxxxx"'] } }])
  database.get('PRAGMA max_page_count = 1000000')
  expect(runBatch(database, [append(5, 1, 500_000)])).toEqual([{ id: 5, value: 'appended' }])
})

test('no request is written to a database that was moved', () => {
  renameSync(join(folder, 'db'), join(folder, 'moved'))
  expect(runBatch(database, [append(1, 0, 1)])).toMatchObject([
    { failure: { code: 'STORE_UNAVAILABLE' } },
  ])
})
