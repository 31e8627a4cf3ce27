import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { printCheckpoint } from '../../backends/checkpoint-file.ts'
import { type Backend, openBackend } from '../../backends/open-backend.ts'
import { addHistoryEntry, listHistoryKeys } from '../../backends/stack-history.ts'
import { readCheckpoint, saveCheckpoint } from '../../backends/stack-objects.ts'
import type { ClockPort } from '../../ports/system.ts'
import { type EpochMs, stackIdOf } from '../../records/ids.ts'
import { printStateBlob } from '../../state/print-envelope.ts'
import { manifestOf } from '../../state/snapshot-codec.ts'
import type { StoredEnvelope } from '../../state/stored.ts'
import { type EmbeddedPlatform, openEmbeddedPlatform } from '../embedded/embedded-platform.ts'
import { createFileObjects } from '../objects/file-objects.ts'
import { createBackendCatalog } from './backend-catalog.ts'
import { createSyncPoints } from './sync-points.ts'
import { sha256Of, type SyncDeps, syncStack } from './sync-stack.ts'

const id = stackIdOf('shop', 'dev')
const kinds = ['update', 'refresh', 'update']

let folder: string
let backend: Backend
let embedded: EmbeddedPlatform
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-sync-'))
  const store = createFileObjects(join(folder, 'backend'), { hasAttributes: false })
  backend = await openBackend(store, {})
  for (const [index, kind] of kinds.entries()) await addUpdate(kind, index + 1)
  embedded = await openEmbeddedPlatform({ home: join(folder, 'home') })
})
afterEach(async () => {
  await embedded.close()
  rmSync(folder, { recursive: true, force: true })
})

const stateOf = (number: number): StoredEnvelope => {
  const type = 'pulumi:pulumi:Stack'
  const urn = `urn:pulumi:dev::shop::${type}::shop-dev`
  const resources = [{ urn, custom: false, type, outputs: { number } }]
  return { version: 3, deployment: { manifest: manifestOf('', ''), resources, metadata: {} } }
}

/** Writes the objects of an update by another client, whose start is `number` seconds. */
async function addUpdate(kind: string, number: number): Promise<void> {
  const checkpoint = printCheckpoint(id, stateOf(number))
  await saveCheckpoint(backend, id, { checkpoint, previous: await readCheckpoint(backend, id) })
  const info = {
    ...{ kind, startTime: number, message: '', environment: {}, config: {}, version: 0 },
    ...{ result: 'succeeded', endTime: number + 1, resourceChanges: { same: number } },
  }
  const current = await readCheckpoint(backend, id)
  await addHistoryEntry(backend, id, { info, atMs: 1_700_000_000_000 + number, current })
}

/** Returns the dependencies of a process that dies after its write number `diesAfter`. */
function createDeps(diesAfter = Infinity): SyncDeps {
  let writes = 0
  const countWrite = <T>(result: T): T => {
    writes += 1
    if (writes >= diesAfter) throw new Error('killed')
    return result
  }
  const write =
    <Args extends readonly unknown[], T>(run: (...args: Args) => Promise<T>) =>
    async (...args: Args): Promise<T> =>
      countWrite(await run(...args))
  const { catalog, blobs, clock } = embedded
  const syncPoints = createSyncPoints(join(folder, 'marks'))
  return {
    backend,
    catalog: {
      ...catalog,
      createStack: write(catalog.createStack),
      start: write(catalog.start),
      publish: write(catalog.publish),
      release: write(catalog.release),
    },
    blobs: { ...blobs, put: write(blobs.put) },
    syncPoints: { ...syncPoints, update: (...args) => countWrite(syncPoints.update(...args)) },
    clock,
    releaseIfTakenOver: async () => undefined,
  }
}

/** Returns the history of this machine without imports of states, oldest first. */
const listEntries = async () =>
  (await embedded.catalog.listHistory(id, 100))
    .filter(({ command }) => command !== 'stack import')
    .map(({ command, startedAt, endedAt, result }) => [command, startedAt, endedAt, result])
    .toReversed()
const expectedEntries = [
  ['up', 1000, 2000, 'succeeded'],
  ['refresh', 2000, 3000, 'succeeded'],
  ['up', 3000, 4000, 'succeeded'],
]

test('the next synchronization continues one that was killed after any write, without a repetition', async () => {
  const snapshot = sha256Of(await printStateBlob(stateOf(kinds.length)))
  const keys = await listHistoryKeys(backend, id)
  let kills = 0
  for (let diesAfter = 1; ; diesAfter += 1) {
    const isKilled = await syncStack(createDeps(diesAfter), id).then(
      () => false,
      () => true,
    )
    if (isKilled) kills += 1
    const deps = createDeps()
    expect(await syncStack(deps, id)).toMatchObject({ current: '', snapshot })
    expect(await listEntries(), `killed after write ${diesAfter}`).toEqual(expectedEntries)
    expect(deps.syncPoints.read(id)).toMatchObject({ base: snapshot, lastEntry: keys.at(-1) })
    expect(deps.syncPoints.read(id).importing).toBeUndefined()
    const { deployments } = (await embedded.catalog.getStack(id)) ?? {}
    expect(await syncStack(deps, id)).toMatchObject({ deployments })
    if (!isKilled) break
    await embedded.catalog.removeStack(id)
    deps.syncPoints.remove(id)
  }
  expect(kills).toBeGreaterThan(10)
})

test('a killed import of a state does not prevent the next synchronization', async () => {
  await syncStack(createDeps(), id)
  const checkpoint = printCheckpoint(id, stateOf(9))
  await saveCheckpoint(backend, id, { checkpoint, previous: await readCheckpoint(backend, id) })
  // The writes are the blob, the sync point, and the start.
  await expect(syncStack(createDeps(3), id)).rejects.toThrow('killed')
  const snapshot = sha256Of(await printStateBlob(stateOf(9)))
  expect(await syncStack(createDeps(), id)).toMatchObject({ current: '', snapshot })
  const [newest, interrupted] = await embedded.catalog.listHistory(id, 2)
  expect([newest?.result, interrupted?.result]).toEqual(['succeeded', 'interrupted'])
})

test('a deployment after a killed import adds only its own entry to the backend', async () => {
  const publish = () => Promise.reject(new Error('killed'))
  const killedDeps = { ...createDeps(), catalog: { ...embedded.catalog, publish } }
  await expect(syncStack(killedDeps, id)).rejects.toThrow('killed')
  expect(await embedded.catalog.getStack(id)).toMatchObject({ current: `${id}/3` })
  const keys = await listHistoryKeys(backend, id)
  const catalog = createBackendCatalog({
    ...createDeps(),
    journalCopies: embedded.journalCopies,
    locks: {
      acquire: async () => undefined,
      release: async () => undefined,
      isHeld: () => false,
      list: () => [],
      breakOtherLocks: async () => 0,
    },
  })
  const start = { command: 'destroy', message: '', at: 5_500 as EpochMs } as const
  const { kind, deployment } = await catalog.start(id, start)
  expect(kind).toBe('started')
  const end = { at: 6_000 as EpochMs, result: 'succeeded', changes: {}, version: 1 } as const
  await catalog.release(deployment, end)
  expect(await listHistoryKeys(backend, id)).toEqual([...keys, expect.any(String)])
  const ownEntry = ['destroy', 5_500, 6_000, 'succeeded']
  expect(await listEntries()).toEqual([...expectedEntries, ownEntry])
})

test('concurrent synchronizations import each entry once, and wait for each other', async () => {
  const records = await Promise.all([1, 2, 3].map(() => syncStack(createDeps(), id)))
  const snapshot = sha256Of(await printStateBlob(stateOf(kinds.length)))
  for (const record of records) expect(record).toMatchObject({ current: '', snapshot })
  expect(await listEntries()).toEqual(expectedEntries)
})

test('a synchronization is refused when a stopped process keeps the import of the stack', async () => {
  const deps = createDeps()
  const lock = deps.syncPoints.tryLock(id)
  let nowMs = 0
  const clock: SyncDeps['clock'] = {
    now: () => nowMs as EpochMs,
    monotonicMs: () => nowMs,
    sleep: async (ms: number): ReturnType<ClockPort['sleep']> => void (nowMs += ms),
  }
  await expect(syncStack({ ...deps, clock }, id)).rejects.toMatchObject({ code: 'STACK_BUSY' })
  expect(nowMs).toBe(10_000)
  lock?.release()
  expect(await syncStack(deps, id)).toMatchObject({ deployments: kinds.length })
})
