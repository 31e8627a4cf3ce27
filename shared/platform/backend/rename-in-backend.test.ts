import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { printCheckpoint } from '../../backends/checkpoint-file.ts'
import { type Backend, listBackendStacks, openBackend } from '../../backends/open-backend.ts'
import { addHistoryEntry, listHistoryKeys } from '../../backends/stack-history.ts'
import {
  parseCheckpointState,
  readCheckpoint,
  saveCheckpoint,
} from '../../backends/stack-objects.ts'
import { readBackendTags, saveBackendTags } from '../../backends/backend-tags.ts'
import { createError } from '../../errors/error.ts'
import type { ObjectStorePort } from '../../ports/objects.ts'
import { type EpochMs, type StackId, stackIdOf } from '../../records/ids.ts'
import { printStateBlob } from '../../state/print-envelope.ts'
import { manifestOf } from '../../state/snapshot-codec.ts'
import type { StoredEnvelope } from '../../state/stored.ts'
import { type EmbeddedPlatform, openEmbeddedPlatform } from '../embedded/embedded-platform.ts'
import { createFileObjects } from '../objects/file-objects.ts'
import { completeRenames, createBackendRenames } from './rename-in-backend.ts'
import { createRenameIntents } from './rename-intents.ts'
import { createSyncPoints } from './sync-points.ts'
import { syncStack } from './sync-stack.ts'

const [from, to] = [stackIdOf('shop', 'dev'), stackIdOf('mall', 'prod')]
const holder = { host: 'here', pid: 1, started: 'then', who: '' }

let folder: string
let embedded: EmbeddedPlatform
let store: ObjectStorePort
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'antichain-renames-'))
  embedded = await openEmbeddedPlatform({ home: join(folder, 'home') })
  store = createFileObjects(join(folder, 'backend'), { hasAttributes: false })
})
afterEach(async () => {
  await embedded.close()
  rmSync(folder, { recursive: true, force: true })
})

const envelopeFor = (id: StackId): StoredEnvelope => {
  const [, project = '', stack = ''] = id.split('/')
  const type = 'pulumi:pulumi:Stack'
  const urn = `urn:pulumi:${stack}::${project}::${type}::${project}-${stack}`
  const resources = [{ urn, custom: false, type }]
  return { version: 3, deployment: { manifest: manifestOf('', ''), resources, metadata: {} } }
}
const urnsOf = async (backend: Backend, id: StackId) => {
  const object = await readCheckpoint(backend, id)
  const deployment = object === undefined ? undefined : parseCheckpointState(object).deployment
  return deployment?.resources?.map(({ urn }) => urn)
}

/** Opens the dependencies over a store whose change number `failsAt` and all later ones fail. */
async function openDeps(failsAt = Infinity) {
  let changes = 0
  const change = <Args extends readonly unknown[], T>(run: (...args: Args) => Promise<T>) => {
    return (...args: Args): Promise<T> => {
      changes += 1
      if (changes >= failsAt) return Promise.reject(createError('STORE_UNAVAILABLE', 'killed'))
      return run(...args)
    }
  }
  const failing = { ...store, put: change(store.put), remove: change(store.remove) }
  const { catalog, blobs, clock, renames } = embedded
  return {
    backend: await openBackend(failing, {}),
    catalog,
    blobs,
    clock,
    renames,
    holder,
    syncPoints: createSyncPoints(join(folder, 'home/marks')),
    intents: createRenameIntents(join(folder, 'home/renames')),
    locks: { acquire: async () => undefined, release: async () => undefined },
    releaseIfTakenOver: async () => undefined,
    isAlive: () => false,
  }
}
type Deps = Awaited<ReturnType<typeof openDeps>>

async function createStack({ backend, ...deps }: Deps): Promise<void> {
  const checkpoint = printCheckpoint(from, envelopeFor(from))
  await saveCheckpoint(backend, from, { checkpoint, previous: undefined })
  const info = {
    kind: 'update',
    startTime: 1,
    message: '',
    environment: {},
    config: {},
    version: 0,
    result: 'succeeded',
    endTime: 2,
  } as const
  const current = await readCheckpoint(backend, from)
  if (current === undefined) throw new Error('the stack has no checkpoint')
  await addHistoryEntry(backend, from, { info, atMs: 1_700_000_000_123, current })
  await saveBackendTags(backend, from, { owner: 'me' })
  await syncStack({ backend, ...deps }, from)
}
const rename = async (deps: Deps) => {
  const snapshot = await embedded.blobs.put(await printStateBlob(envelopeFor(to)))
  const expectedVersion = (await embedded.catalog.getStack(from))?.version ?? 0
  const input = { expectedVersion, snapshot, program: '', at: 9 as EpochMs } as const
  return createBackendRenames(deps).rename(from, to, input)
}

test('the next command completes a rename that a crash interrupted at any write', async () => {
  const workingDeps = await openDeps()
  let interruptions = 0
  for (let failsAt = 1; ; failsAt += 1) {
    await createStack(workingDeps)
    const result = await openDeps(failsAt)
      .then(rename, () => 'unopened')
      .catch(() => 'died')
    if (result === 'died') interruptions += 1
    await completeRenames(workingDeps)
    expect(await listBackendStacks(workingDeps.backend)).toEqual([to])
    expect(await urnsOf(workingDeps.backend, to)).toEqual([
      'urn:pulumi:prod::mall::pulumi:pulumi:Stack::mall-prod',
    ])
    expect(await readBackendTags(workingDeps.backend, from)).toBeUndefined()
    expect((await readBackendTags(workingDeps.backend, to))?.tags).toEqual({ owner: 'me' })
    expect([
      (await listHistoryKeys(workingDeps.backend, to)).length,
      (await listHistoryKeys(workingDeps.backend, from)).length,
    ]).toEqual([1, 0])
    expect(await syncStack(workingDeps, from)).toBeUndefined()
    expect((await syncStack(workingDeps, to))?.current).toBe('')
    const history = await embedded.catalog.listHistory(to, 10)
    expect(history[0]).toMatchObject({ command: 'stack rename', message: `was ${from}` })
    expect(workingDeps.intents.list()).toEqual([])
    for (const { key } of await store.list('.pulumi/stacks/')) await store.remove(key)
    for (const { key } of await store.list('.pulumi/history/')) await store.remove(key)
    await syncStack(workingDeps, to)
    if (result === 'renamed') break
  }
  expect(interruptions).toBeGreaterThan(5)
})

test('a stack that another client changed after the crash is not moved', async () => {
  const workingDeps = await openDeps()
  await createStack(workingDeps)
  await expect(rename(await openDeps(1))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  const changed = printCheckpoint(from, { version: 3, deployment: null })
  const previous = await readCheckpoint(workingDeps.backend, from)
  await saveCheckpoint(workingDeps.backend, from, { checkpoint: changed, previous })
  await completeRenames(workingDeps)
  expect(await listBackendStacks(workingDeps.backend)).toEqual([from])
  expect(await syncStack(workingDeps, to)).toBeUndefined()
  expect(workingDeps.intents.list()).toEqual([])
})

test('a rename that changed nothing on this machine is dropped', async () => {
  const workingDeps = await openDeps()
  await createStack(workingDeps)
  workingDeps.intents.add({ from, to, snapshot: '', pid: 1, started: 'then' })
  await completeRenames(workingDeps)
  expect(await listBackendStacks(workingDeps.backend)).toEqual([from])
  expect(await urnsOf(workingDeps.backend, from)).toHaveLength(1)
  expect(workingDeps.intents.list()).toEqual([])
})

test('the rename of a process that still runs is not completed', async () => {
  const workingDeps = await openDeps()
  await createStack(workingDeps)
  await expect(rename(await openDeps(1))).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await completeRenames({ ...workingDeps, isAlive: () => true })
  expect(await listBackendStacks(workingDeps.backend)).toEqual([from])
  expect(workingDeps.intents.list()).toHaveLength(1)
})
