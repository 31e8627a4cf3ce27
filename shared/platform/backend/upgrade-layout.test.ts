import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createEmptyCheckpoint } from '../../backends/stack-objects.ts'
import { findBackend, listBackendStacks, openBackend } from '../../backends/open-backend.ts'
import { readBackendTags, saveBackendTags } from '../../backends/backend-tags.ts'
import { DeployError, createError } from '../../errors/error.ts'
import type { StackRecord } from '../../ports/catalog.ts'
import { deploymentIdOf, type StackId, stackIdOf } from '../../records/ids.ts'
import { createFileObjects } from '../objects/file-objects.ts'
import { createSyncPoints } from './sync-points.ts'
import { sha256Of } from './sync-stack.ts'
import { upgradeLayout } from './upgrade-layout.ts'

const fixture = join(import.meta.dirname, '../../../test/fixtures/backends/legacy')
const id = stackIdOf('shop', 'old')
const findNoProjects = async () => new Map<string, string>()

/** Creates a catalog with a stack whose current deployment is `current`. */
function catalogOf(stack: StackId = id, current = '') {
  const record = { id: stack, current, createdAt: 0, version: 0, snapshot: '', deployments: 7 }
  return { listStacks: async () => ({ stacks: [record as StackRecord], unreadable: [] }) }
}

/** Opens the dependencies of an upgrade of the fixture. */
async function openDeps() {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-upgrade-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(fixture, join(folder, 'backend'), { recursive: true })
  const store = createFileObjects(join(folder, 'backend'), { hasAttributes: false })
  const backend = await openBackend(store, {})
  expect(backend.layout).toBe('legacy')
  await saveBackendTags(backend, id, { owner: 'me' })
  /** Each acquired lock, and each released one after a hyphen. */
  const lockEvents: string[] = []
  const locks = {
    acquire: async (stack: StackId) => void lockEvents.push(stack),
    release: async (stack: StackId) => void lockEvents.push(`-${stack}`),
  }
  const catalog = catalogOf()
  return {
    backend,
    catalog,
    locks,
    lockEvents,
    syncPoints: createSyncPoints(join(folder, 'marks')),
  }
}
type Deps = Awaited<ReturnType<typeof openDeps>>

async function listKeys({ backend }: Deps): Promise<readonly string[]> {
  return (await backend.store.list('.pulumi/')).map(({ key }) => key)
}

/** Returns dependencies whose store fails in change number `failsAt`, and in all later ones. */
function failAt({ backend, ...deps }: Deps, failsAt: number): Deps {
  let changes = 0
  const change = <Args extends readonly unknown[], T>(run: (...args: Args) => Promise<T>) => {
    return (...args: Args): Promise<T> => {
      changes += 1
      return changes >= failsAt ? Promise.reject(new Error('killed')) : run(...args)
    }
  }
  const { store } = backend
  const failing = { ...store, put: change(store.put), remove: change(store.remove) }
  return { ...deps, backend: { ...backend, store: failing } }
}

test('the next upgrade completes one that a crash interrupted at any write', async () => {
  for (let failsAt = 1; ; failsAt += 1) {
    const deps = await openDeps()
    const { store } = deps.backend
    const before = await store.get('.pulumi/stacks/old.json')
    deps.syncPoints.update(id, { checkpoint: sha256Of(before ?? Buffer.of()), base: 'base' })
    const isComplete = await upgradeLayout(failAt(deps, failsAt), findNoProjects).then(
      ({ upgraded }) => upgraded.length === 1,
      () => false,
    )
    if (!isComplete) await upgradeLayout(deps, findNoProjects)
    const backend = await openBackend(store, {})
    expect([backend.layout, await listBackendStacks(backend)]).toEqual(['project', [id]])
    expect(await store.get('.pulumi/stacks/shop/old.json')).toEqual(before)
    const keys = (await store.list('.pulumi/')).map(({ key }) => key.slice('.pulumi/'.length))
    expect(keys.toSorted()).toEqual([
      'backups/old/old.1795648365088828961.json',
      'history/shop/old/old-1795648365088218795.checkpoint.json',
      'history/shop/old/old-1795648365088218795.history.json',
      ...['meta.yaml', 'stacks/old.json.bak', 'stacks/shop/old.json'],
      'stacks/shop/old.pulumi-tags',
    ])
    expect((await readBackendTags(backend, id))?.tags).toEqual({ owner: 'me' })
    // The next command does not take the moved checkpoint for a change.
    expect(deps.syncPoints.read(id)).toMatchObject({ base: 'base' })
    expect(deps.lockEvents.slice(-2)).toEqual([id, `-${id}`])
    if (isComplete) {
      expect(failsAt).toBeGreaterThan(6)
      return
    }
  }
})

test('a stack that already exists in the layout with projects is skipped', async () => {
  const deps = await openDeps()
  await createEmptyCheckpoint({ ...deps.backend, layout: 'project' }, id)
  const { skipped } = await upgradeLayout(deps, findNoProjects)
  expect(skipped).toEqual([{ stack: 'old', reason: expect.stringContaining('exists already') }])
  expect(await deps.backend.store.get('.pulumi/stacks/old.json')).toBeDefined()
})

test('an unfinished deployment of any project makes the whole upgrade fail', async () => {
  const deps = await openDeps()
  const before = await listKeys(deps)
  for (const stack of [id, stackIdOf('mall', 'old')]) {
    const busy = { ...deps, catalog: catalogOf(stack, deploymentIdOf(stack, 7)) }
    await expect(upgradeLayout(busy, findNoProjects)).rejects.toMatchObject({
      code: 'STACK_BUSY',
      message: expect.stringMatching(/deployment 7 of the stack 'old' in .*backend has not ended/),
      hint: expect.stringContaining('antichain cancel -s old'),
    })
    expect([await listKeys(deps), (await findBackend(deps.backend.store, {}))?.layout]).toEqual([
      before,
      'legacy',
    ])
  }
})

test('a locked stack makes the whole upgrade fail, which releases the locks that it acquired', async () => {
  const deps = await openDeps()
  const other = stackIdOf('mall', 'a')
  await createEmptyCheckpoint(deps.backend, stackIdOf('-', 'a'))
  const before = await listKeys(deps)
  const acquire = async (stack: StackId): Promise<void> => {
    if (stack === id) throw createError('BACKEND_LOCKED', 'locked')
    await deps.locks.acquire(stack)
  }
  const locked = { ...deps, locks: { ...deps.locks, acquire } }
  const findProjects = async () => new Map([['a', 'mall']])
  const upgrade = upgradeLayout(locked, findProjects)
  await expect(upgrade).rejects.toMatchObject({ code: 'BACKEND_LOCKED' })
  expect([await listKeys(deps), deps.lockEvents]).toEqual([before, [other, `-${other}`]])
  // The metadata already names the layout with projects, so the other stacks can be moved.
  await deps.backend.store.put('.pulumi/meta.yaml', Buffer.from('version: 1\n'))
  const { upgraded, skipped } = await upgradeLayout(locked, findProjects)
  expect([upgraded, skipped]).toEqual([[other], [{ stack: 'old', reason: 'locked' }]])
})

test('a lock or a journal copy of a stack whose project is not known makes the whole upgrade fail', async () => {
  const deps = await openDeps()
  await createEmptyCheckpoint(deps.backend, stackIdOf('-', 'empty'))
  const { store } = deps.backend
  for (const key of ['locks/empty/a.json', 'antichain-journal/empty/b/00000000.json']) {
    await store.put(`.pulumi/${key}`, Buffer.from('{}'))
    await expect(upgradeLayout(deps, findNoProjects)).rejects.toMatchObject({ code: 'STACK_BUSY' })
    expect((await findBackend(store, {}))?.layout).toBe('legacy')
    await store.remove(`.pulumi/${key}`)
  }
  const { upgraded, skipped } = await upgradeLayout(deps, findNoProjects)
  expect([upgraded, skipped]).toEqual([
    [id],
    [{ stack: 'empty', reason: 'its project is not known' }],
  ])
})

test('a stack without resources moves to the project that the caller names', async () => {
  const deps = await openDeps()
  await createEmptyCheckpoint(deps.backend, stackIdOf('-', 'empty'))
  const prompted: (readonly string[])[] = []
  const { upgraded } = await upgradeLayout(deps, async stacks => {
    prompted.push(stacks)
    return new Map([['empty', 'mall']])
  })
  expect([prompted, upgraded]).toEqual([[['empty']], [stackIdOf('mall', 'empty'), id]])
})

test('a damaged checkpoint or a denied write of the metadata makes the upgrade fail without a change', async () => {
  const deps = await openDeps()
  const { store } = deps.backend
  const before = await listKeys(deps)
  const put = async (): Promise<never> => Promise.reject(createError('BACKEND_DENIED', 'denied'))
  const denied = { ...deps, backend: { ...deps.backend, store: { ...store, put } } }
  await expect(upgradeLayout(denied, findNoProjects)).rejects.toMatchObject({
    code: 'BACKEND_DENIED',
  })
  expect(await listKeys(deps)).toEqual(before)
  await store.put('.pulumi/stacks/bad.json', Buffer.from('{"version":3'))
  await expect(upgradeLayout(deps, findNoProjects)).rejects.toThrow(DeployError)
  expect((await findBackend(store, {}))?.layout).toBe('legacy')
})
