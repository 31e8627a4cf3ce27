import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stackKeysOf } from '../../shared/backends/backend-keys.ts'
import { printCheckpoint } from '../../shared/backends/checkpoint-file.ts'
import { printLock } from '../../shared/backends/lock-file.ts'
import { type Backend, listBackendStacks, openBackend } from '../../shared/backends/open-backend.ts'
import { addHistoryEntry, listHistoryKeys } from '../../shared/backends/stack-history.ts'
import { acquireLock, listLocks, removeLocks } from '../../shared/backends/stack-locks.ts'
import {
  backUpStack,
  createEmptyCheckpoint,
  parseCheckpointState,
  readCheckpoint,
  removeStackObjects,
  saveCheckpoint,
} from '../../shared/backends/stack-objects.ts'
import {
  isObjectStoreUrl,
  parseObjectStoreUrl,
} from '../../shared/platform/objects/object-store-url.ts'
import { openObjectStore } from '../../shared/platform/objects/open-object-store.ts'
import { stackIdOf } from '../../shared/records/ids.ts'

const folder = mkdtempSync(join(tmpdir(), 'antichain-backend-writes-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const dev = stackIdOf('shop', 'dev')
const address = `file://${folder}?metadata=skip`
const openWith = async (env: Record<string, string>): Promise<Backend> =>
  openBackend(await openObjectStore(parseObjectStoreUrl(address, '/'), env), env)
let backend: Backend
beforeAll(async () => {
  backend = await openWith({})
})

const listFiles = (): readonly string[] =>
  readdirSync(join(folder, '.pulumi'), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name).slice(folder.length + '/.pulumi/'.length))
    .toSorted()
const checkpointOf = (time: string): Uint8Array => {
  const manifest = { time, magic: '', version: '' }
  return printCheckpoint(dev, { version: 3, deployment: { manifest, metadata: {} } })
}
const save = async (target: Backend, checkpoint: Uint8Array): Promise<void> => {
  const previous = await readCheckpoint(target, dev)
  await saveCheckpoint(target, dev, { checkpoint, previous })
}
const historyEntry = {
  kind: 'update',
  startTime: 1,
  message: '',
  environment: {},
  config: {},
  version: 0,
  result: 'succeeded',
  endTime: 2,
}

test('a checkpoint, a history entry and a backup are stored under the names of the layout', async () => {
  expect(isObjectStoreUrl(address)).toBe(true)
  await createEmptyCheckpoint(backend, dev)
  await expect(createEmptyCheckpoint(backend, dev)).rejects.toMatchObject({ code: 'STACK_EXISTS' })
  await save(backend, checkpointOf('2026-01-01T00:00:00Z'))
  const current = await readCheckpoint(backend, dev)
  if (current === undefined) throw new Error('the stack has no checkpoint')
  const atMs = 1_700_000_000_123
  await addHistoryEntry(backend, dev, { info: historyEntry, atMs, current })
  await backUpStack(backend, dev, { atMs, current })
  expect(listFiles()).toEqual([
    'backups/shop/dev/dev.1700000000123000000.json',
    'history/shop/dev/dev-1700000000123000000.checkpoint.json',
    'history/shop/dev/dev-1700000000123000000.history.json',
    'meta.yaml',
    'stacks/shop/dev.json',
    'stacks/shop/dev.json.bak',
  ])
  const backup = readFileSync(join(folder, '.pulumi/stacks/shop/dev.json.bak'), 'utf8')
  expect(backup).toBe('{"version":0,"checkpoint":{"stack":"organization/shop/dev"}}')
  expect(await listHistoryKeys(backend, dev)).toHaveLength(1)
})

test('a checkpoint in another compression replaces the old one, and every reader finds it', async () => {
  const compressingBackend = await openWith({ PULUMI_DIY_BACKEND_GZIP: 'true' })
  await save(compressingBackend, checkpointOf('2026-02-02T00:00:00Z'))
  const names = listFiles().filter(name => name.startsWith('stacks/'))
  expect(names).toEqual(['stacks/shop/dev.json.bak', 'stacks/shop/dev.json.gz'])
  const found = await readCheckpoint(backend, dev)
  expect(found && parseCheckpointState(found).deployment?.manifest.time).toBe(
    '2026-02-02T00:00:00Z',
  )
})

test('a lock refuses every other client until it is released or removed', async () => {
  const lock = { pid: 1, username: 'a', hostname: 'h', timestamp: '2026-01-01T00:00:00Z' }
  const acquire = (lockId: string) => acquireLock(backend, dev, { lockId, lock, nowMs: Date.now() })
  const release = await acquire('1')
  await expect(acquire('2')).rejects.toMatchObject({ code: 'BACKEND_LOCKED' })
  await release()
  await acquire('2')
  const results = await Promise.allSettled(['3', '4', '5'].map(acquire))
  expect(results.every(({ status }) => status === 'rejected')).toBe(true)
  expect(await removeLocks(backend, dev, key => key.endsWith('/3.json'))).toBe(0)
  expect(await removeLocks(backend, dev, key => key.endsWith('/2.json'))).toBe(1)
  expect((await listLocks(backend, dev)).size).toBe(0)
})

test('a lock that appears during an acquisition is reported, also if the new lock cannot be removed', async () => {
  const lock = { pid: 1, username: 'a', hostname: 'h', timestamp: '2026-01-01T00:00:00Z' }
  const { locks } = stackKeysOf(backend.layout, dev)
  const store: typeof backend.store = {
    ...backend.store,
    async put(key, bytes) {
      await backend.store.put(key, bytes)
      await backend.store.put(`${locks}other.json`, printLock({ ...lock, username: 'eve' }))
    },
    remove: () => Promise.reject(new Error('the store is away')),
  }
  const acquiring = acquireLock({ ...backend, store }, dev, { lockId: '1', lock, nowMs: 0 })
  await expect(acquiring).rejects.toMatchObject({
    code: 'BACKEND_LOCKED',
    details: { username: 'eve' },
  })
  expect(await removeLocks(backend, dev, () => true)).toBe(2)
})

test('a removed stack leaves its last checkpoint and its backups', async () => {
  await removeStackObjects(backend, dev)
  expect(await listBackendStacks(backend)).toEqual([])
  expect(listFiles()).toEqual([
    'backups/shop/dev/dev.1700000000123000000.json',
    'meta.yaml',
    'stacks/shop/dev.json.bak',
    'stacks/shop/dev.json.gz.bak',
  ])
})
