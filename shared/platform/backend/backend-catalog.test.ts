import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { printCheckpoint } from '../../backends/checkpoint-file.ts'
import { openBackend } from '../../backends/open-backend.ts'
import { createEmptyCheckpoint } from '../../backends/stack-objects.ts'
import { createError } from '../../errors/error.ts'
import type { ObjectStorePort } from '../../ports/objects.ts'
import { deploymentIdOf, type EpochMs, stackIdOf } from '../../records/ids.ts'
import { manifestOf } from '../../state/snapshot-codec.ts'
import { openEmbeddedPlatform } from '../embedded/embedded-platform.ts'
import { createFileObjects } from '../objects/file-objects.ts'
import { createBackendCatalog } from './backend-catalog.ts'
import { createSyncPoints } from './sync-points.ts'

const id = stackIdOf('shop', 'dev')

/** Opens a catalog over a store that refuses writes below a prefix, unless the prefix is empty. */
async function openCatalog(deniedPrefix: string, env: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-catalog-'))
  const store = createFileObjects(join(folder, 'backend'), { hasAttributes: false })
  await createEmptyCheckpoint(await openBackend(store, env), id)
  const embedded = await openEmbeddedPlatform({ home: join(folder, 'home') })
  onTestFinished(async () => {
    await embedded.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const deniedStore: ObjectStorePort = {
    ...store,
    put: async (key, bytes) => {
      if (deniedPrefix !== '' && key.startsWith(deniedPrefix))
        throw createError('BACKEND_DENIED', key)
      await store.put(key, bytes)
    },
  }
  const { catalog: local, blobs, clock, journalCopies } = embedded
  const released: string[] = []
  const catalog = createBackendCatalog({
    backend: await openBackend(deniedStore, env),
    catalog: local,
    blobs,
    clock,
    journalCopies,
    syncPoints: createSyncPoints(join(folder, 'home/marks')),
    releaseIfTakenOver: async () => undefined,
    locks: {
      acquire: async () => undefined,
      release: async stack => void released.push(stack),
      isHeld: () => false,
      list: () => [],
      breakOtherLocks: async () => 0,
    },
  })
  const read = (name: string) =>
    readFileSync(join(folder, 'backend/.pulumi/stacks/shop', name), 'utf8')
  const listHistory = () => {
    const history = join(folder, 'backend/.pulumi/history/shop/dev')
    return readdirSync(history)
      .filter(name => name.endsWith('.history.json'))
      .map(name => readFileSync(join(history, name), 'utf8'))
  }
  return { catalog, local, released, read, listHistory, store }
}
const startOf = (command: 'up' | 'state') => ({ command, message: '', at: 1 as EpochMs })

test('a deployment does not start if the folder of its checkpoint cannot be written', async () => {
  const { catalog, local, released } = await openCatalog('.pulumi/stacks/')
  await expect(catalog.start(id, startOf('up'))).rejects.toMatchObject({ code: 'BACKEND_DENIED' })
  expect(released).toEqual([id])
  expect(await local.getStack(id)).toMatchObject({ current: '', deployments: 0 })
})

test('the write check at a start leaves the checkpoint unchanged, the history names the environment, and an edit starts without the check', async () => {
  const { catalog, read, listHistory } = await openCatalog('')
  const before = read('dev.json')
  expect(await catalog.start(id, startOf('up'))).toMatchObject({ kind: 'started' })
  expect([read('dev.json'), read('dev.json.bak')]).toEqual([before, before])
  const deployment = deploymentIdOf(id, 1)
  const end = { at: 2 as EpochMs, result: 'succeeded', changes: {}, version: 0 } as const
  await catalog.release(deployment, end)
  const [entry = ''] = listHistory()
  expect(JSON.parse(entry).environment).toMatchObject({ 'exec.kind': 'cli' })
  const denied = await openCatalog('.pulumi/stacks/')
  expect(await denied.catalog.start(id, startOf('state'))).toMatchObject({ kind: 'started' })
})

test('an entry of the history has the configuration that the deployment started with', async () => {
  const { catalog, listHistory } = await openCatalog('')
  const config = { 'shop:size': '3', 'shop:token': { secure: 'v1:a:b' } }
  await catalog.start(id, { ...startOf('up'), config })
  const end = { at: 2 as EpochMs, result: 'interrupted', changes: {}, version: 0 } as const
  await catalog.release(deploymentIdOf(id, 1), end)
  expect(listHistory().map(entry => JSON.parse(entry).config)).toEqual([config])
})

test('a stack of the legacy layout is found under each project, and listed under its own', async () => {
  const legacyEnv = { PULUMI_DIY_BACKEND_LEGACY_LAYOUT: '1' }
  const { catalog, store } = await openCatalog('', legacyEnv)
  const other = stackIdOf('mall', 'dev')
  const listIds = async (project?: string) =>
    (await catalog.listStacks(project)).stacks.map(stack => stack.id)
  expect(await listIds('mall')).toEqual([other])
  const urn = 'urn:pulumi:dev::shop::pulumi:pulumi:Stack::shop-dev'
  const resources = [{ urn, custom: false, type: 'pulumi:pulumi:Stack' }]
  const deployment = { manifest: manifestOf('', ''), resources, metadata: {} }
  const checkpoint = printCheckpoint('dev', { version: 3, deployment })
  await store.put('.pulumi/stacks/dev.json', checkpoint)
  // A stack reference of another project names the stack without its project.
  const [own, alias] = [await catalog.getStack(id), await catalog.getStack(other)]
  expect(own?.snapshot).not.toBe('')
  expect(alias?.snapshot).toBe(own?.snapshot)
  for (const project of ['shop', 'mall', undefined]) expect(await listIds(project)).toEqual([id])
  await store.put('.pulumi/stacks/bad.json', Buffer.from('{'))
  const { stacks, unreadable } = await catalog.listStacks()
  expect([stacks.length, unreadable.map(stack => stack.id)]).toEqual([1, [stackIdOf('-', 'bad')]])
})
