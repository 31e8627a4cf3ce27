import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { UnsentPart } from '../../../records/journal-copy.ts'
import { type CommitQueue, createCommitQueue, type SendParts } from './commit-queue.ts'
import { type Database, openDatabase } from './database.ts'
import type { StoreReply, StoreRequest } from './store-message.ts'

const deployment = 'organization/shop/dev/1'
const holder = { host: 'h', pid: 1, started: '', who: '' }

let folder: string
let database: Database
let sent: UnsentPart[]
let sendParts: SendParts
let queue: CommitQueue
const openQueue = (): void => {
  queue = createCommitQueue(database, parts => sendParts(parts))
}
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-queue-'))
  database = openDatabase(join(folder, 'db'))
  sent = []
  sendParts = async parts => {
    sent.push(...parts)
    return parts.map(part => ({ deployment: part.deployment, sentThrough: part.number }))
  }
  openQueue()
})
afterEach(() => {
  database.close()
  rmSync(folder, { recursive: true, force: true })
})

let nextId = 0
const requestOf = (method: string, args: object): StoreRequest => ({ id: ++nextId, method, args })
const call = async (...requests: readonly StoreRequest[]): Promise<readonly StoreReply[]> => {
  const replies: StoreReply[] = []
  queue.add(requests, received => replies.push(...received))
  await queue.drain()
  return replies
}
const append = (number: number) =>
  requestOf('log.append', { deployment, number, writer: 'w', record: '{}' })
const createStack = () =>
  requestOf('catalog.createStack', { id: 'organization/shop/dev', at: 1, token: '' })
const start = () =>
  requestOf('catalog.start', {
    id: 'organization/shop/dev',
    token: 't',
    start: { command: 'up', message: '', holder, at: 1 },
  })
const createControl = () => requestOf('control.create', { deployment, holder, token: 't' })
const endCopy = () => requestOf('copies.end', { deployment })
const textsOf = (parts: readonly UnsentPart[]) => parts.map(part => JSON.parse(part.text) as object)

// The store copies the writes of each deployment to a backend, in numbered parts
// (docs/decisions/0045-a-backend-has-copies-of-running-journals.md).
test('the writes of a deployment become numbered parts, in the order of the commits', async () => {
  await call(createStack(), start(), createControl())
  await call(append(0), append(1))
  expect(sent.map(({ number }) => number)).toEqual([0, 1, 2])
  expect(new Set(sent.map(({ copyId }) => copyId)).size).toBe(1)
  expect(textsOf(sent)).toMatchObject([
    { header: { deployment, stack: { version: 0, deployments: 1 } } },
    { writes: [['control.create', { deployment }]] },
    {
      writes: [
        ['log.append', { number: 0 }],
        ['log.append', { number: 1 }],
      ],
    },
  ])
})

test('a write fails until its part is sent, and the part stays the same', async () => {
  await call(createStack(), start(), createControl())
  const failure = { code: 'STORE_UNAVAILABLE', message: 'offline', details: {} } as const
  const succeed = sendParts
  const refused: UnsentPart[] = []
  sendParts = async parts => {
    refused.push(...parts)
    return parts.map(part => ({ deployment: part.deployment, sentThrough: 1, failure }))
  }
  const other = requestOf('catalog.createStack', { id: 'organization/shop/qa', at: 1, token: 'q' })
  expect(await call(append(0), other)).toMatchObject([{ failure }, { value: true }])
  sendParts = succeed
  expect(await call(append(0))).toMatchObject([{ value: 'already-appended' }])
  // The failed write was committed, so its part 2 is sent again. The repeated write is part 3.
  expect(sent.slice(-2).map(({ number }) => number)).toEqual([2, 3])
  expect(sent.at(-2)).toEqual(refused[0])
})

test('sent parts are deleted once, and then cost no statement of a later transaction', async () => {
  const deletions: unknown[] = []
  const run: Database['run'] = (sql, ...values) => {
    if (sql.startsWith('DELETE FROM journal_part WHERE deployment =')) deletions.push(values)
    return database.run(sql, ...values)
  }
  queue = createCommitQueue({ ...database, run }, parts => sendParts(parts))
  await call(createStack(), start(), createControl())
  const countDeletions = async (): Promise<number> => {
    await call(
      requestOf('catalog.createStack', { id: `organization/shop/q${nextId}`, at: 1, token: 'q' }),
    )
    return deletions.splice(0).length
  }
  expect([await countDeletions(), await countDeletions()]).toEqual([1, 0])
  await call(append(0))
  expect(sent.map(({ number }) => number)).toEqual([0, 1, 2])
})

test('a deployment with log records before its control record gets no copy, and its writes have no parts', async () => {
  await call(createStack(), start(), append(0), createControl())
  await call(append(1), append(7))
  expect(sent).toEqual([])
})

test('the end of a copy is its last part', async () => {
  await call(createStack(), start(), createControl())
  await call(endCopy())
  await call(append(0))
  expect(textsOf(sent).at(-1)).toEqual({ writes: [['copies.end', { deployment }]] })
})

test('a copy of a released deployment is forgotten when the store is opened', async () => {
  await call(createStack(), start(), createControl())
  const release = { at: 2, result: 'succeeded', changes: {}, version: 0 }
  await call(requestOf('catalog.release', { deployment, end: release }))
  sent = []
  openQueue()
  await call(append(0))
  expect(sent).toEqual([])
})

test('a store that is opened again repeats the parts of its last commit', async () => {
  await call(createStack(), start(), createControl())
  const first = sent
  sent = []
  openQueue()
  await call(append(0))
  expect(sent.slice(0, 2)).toEqual(first)
  expect(sent).toHaveLength(3)
})
