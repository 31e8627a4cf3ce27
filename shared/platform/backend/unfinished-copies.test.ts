import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  addCopyLock,
  fenceCopy,
  listJournalCopies,
  putCopyPart,
} from '../../backends/journal-copies.ts'
import { type Backend, openBackend } from '../../backends/open-backend.ts'
import { acquireLock, listLocks } from '../../backends/stack-locks.ts'
import type { StackRecord } from '../../ports/catalog.ts'
import { deploymentIdOf, type EpochMs, stackIdOf } from '../../records/ids.ts'
import { createFileObjects } from '../objects/file-objects.ts'
import { createUnfinishedCopies, type UnfinishedCopyDeps } from './unfinished-copies.ts'

const id = stackIdOf('shop', 'dev')
const holder = { host: 'here', pid: 1, started: '', who: '' }
const lock = { pid: 7, username: 'eve', hostname: 'ci', timestamp: '2026-01-01T00:00:00Z' }

let folder: string
let backend: Backend
let nowMs: number
let notices: string[]
let onSleep: () => Promise<unknown>
let closed: string[]
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-copies-'))
  backend = await openBackend(createFileObjects(folder, { hasAttributes: false }), {})
  nowMs = Date.parse('2026-01-01T00:01:00Z')
  notices = []
  closed = []
  onSleep = () => Promise.resolve()
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const emptyCatalog = { getStack: async () => undefined, release: async () => undefined }
const createCopies = (deps: Partial<UnfinishedCopyDeps> = {}) =>
  createUnfinishedCopies({
    backend,
    holder,
    catalog: emptyCatalog,
    silenceMs: 60_000,
    control: { close: async () => undefined },
    journalCopies: { find: async () => undefined, remove: async () => undefined },
    syncPoints: { read: () => ({ checkpoint: '', base: '', lastEntry: '', checkpointFields: {} }) },
    clock: {
      now: () => nowMs as EpochMs,
      monotonicMs: () => nowMs,
      sleep: async ms => {
        nowMs += ms
        await onSleep()
      },
    },
    onNotice: message => notices.push(message),
    closeCopied: async (_id, copy) => void closed.push(copy.copyId),
    ...deps,
  })
const putWrites = (number: number, method: string): Promise<boolean> =>
  putCopyPart(backend, id, {
    copyId: 'c',
    number,
    text: JSON.stringify({ writes: [[method, { deployment: `${id}/1` }]] }),
  })
const createCopy = async (): Promise<void> => {
  const stack = { createdAt: 1, version: 0, snapshot: '', deployments: 1 }
  const header = { format: 1, deployment: `${id}/1`, stack, begun: '{}' }
  await putCopyPart(backend, id, { copyId: 'c', number: 0, text: JSON.stringify({ header }) })
  await putWrites(1, 'log.append')
  await addCopyLock(backend, id, { copyId: 'c', lock: 'first' })
}
const lockAs = (lockId: string) => acquireLock(backend, id, { lockId, lock, nowMs })

test('a silent copy is fenced after the wait, and its fence outlives its close', async () => {
  await createCopy()
  await lockAs('first')
  const startedMs = nowMs
  const copies = createCopies()
  const [copy, ...others] = await copies.fence(id)
  expect([copy?.partCount, others, nowMs - startedMs]).toEqual([2, [], 60_000])
  expect(notices).toEqual([
    'the stack is currently locked by eve@ci (process 7) since 2026-01-01T00:00:00Z, 60 s ago: dev. ' +
      'Waiting 60 s for a sign of life of that process.',
  ])
  expect(await putWrites(2, 'log.append')).toBe(false)
  if (copy !== undefined) await copies.close(id, copy, 'second')
  expect(closed).toEqual(['c'])
  expect(await listJournalCopies(backend, id)).toMatchObject([{ partCount: 0, locks: [] }])
  expect(await putWrites(2, 'log.append')).toBe(false)
  expect(await copies.fence(id)).toEqual([])
})

test('the close after a second fence keeps the first fence, which refuses the next part of the writer', async () => {
  await createCopy()
  const copies = createCopies()
  await copies.fence(id)
  const [copy] = await copies.fence(id)
  expect(copy?.partCount).toBe(3)
  if (copy !== undefined) await copies.close(id, copy, 'second')
  expect(await putWrites(2, 'log.append')).toBe(false)
  expect(await putWrites(3, 'log.append')).toBe(true)
})

test('a copy that grows during the wait belongs to a living process, and is not fenced', async () => {
  await createCopy()
  await lockAs('first')
  onSleep = () => putWrites(2, 'leases.renew')
  await expect(createCopies().fence(id)).rejects.toMatchObject({ code: 'BACKEND_LOCKED' })
  expect((await listLocks(backend, id)).size).toBe(1)
  expect(await putWrites(3, 'log.append')).toBe(true)
})

test('a lock that does not belong to the copy is an error without a wait', async () => {
  await createCopy()
  await lockAs('stranger')
  await expect(createCopies().fence(id)).rejects.toMatchObject({ code: 'BACKEND_LOCKED' })
  expect(notices).toEqual([])
})

test('a copy without a lock is fenced immediately', async () => {
  await createCopy()
  expect(await createCopies().fence(id)).toHaveLength(1)
  expect(notices).toEqual([])
})

test('the close of a copy whose deployment was released only removes the copy', async () => {
  await createCopy()
  await putWrites(2, 'copies.end')
  const copies = createCopies()
  const [copy] = await copies.fence(id)
  if (copy !== undefined) await copies.close(id, copy, 'second')
  expect([closed, await listJournalCopies(backend, id)]).toEqual([[], []])
})

test('a fence is removed after a week', async () => {
  await createCopy()
  const [copy] = await listJournalCopies(backend, id)
  if (copy === undefined) throw new Error('no copy')
  await fenceCopy(backend, id, { ...copy, partCount: 5 }, { host: 'h', pid: 1, at: 1 as EpochMs })
  await backend.store.remove('.pulumi/antichain-journal/shop/dev/c/00000000.json')
  await createCopies().fence(id)
  expect(await listJournalCopies(backend, id)).toHaveLength(1)
  // The age of a fence is that of its file.
  nowMs = Date.now() + 8 * 24 * 3_600_000
  await createCopies().fence(id)
  expect(await listJournalCopies(backend, id)).toEqual([])
})

test('a deployment of this machine is released in its store after another machine fenced its copy', async () => {
  await createCopy()
  const deployment = deploymentIdOf(id, 1)
  const record = { id, current: deployment, version: 3 } as StackRecord
  const released: unknown[] = []
  const ownDeps: Partial<UnfinishedCopyDeps> = {
    catalog: {
      getStack: async () => record,
      release: async (...args) => void released.push(args),
    },
    journalCopies: { find: async () => 'c', remove: async () => undefined },
  }
  expect(await createCopies(ownDeps).fence(id)).toEqual([])
  expect(released).toEqual([])
  await createCopies().fence(id)
  await createCopies(ownDeps).releaseIfTakenOver(id)
  expect(released).toEqual([[deployment, expect.objectContaining({ version: 3 })]])
})
