import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createStackObject } from '../../backends/stack-objects.ts'
import { findBackend, listBackendStacks, openBackend } from '../../backends/open-backend.ts'
import { readBackendTags, saveBackendTags } from '../../backends/stack-tags.ts'
import { DeployError, error } from '../../errors/error.ts'
import type { StackRecord } from '../../ports/catalog.ts'
import { type StackId, stackIdOf } from '../../records/ids.ts'
import { createFileObjects } from '../objects/file-objects.ts'
import { createStackMarks } from './stack-marks.ts'
import { checkpointDigestOf } from './sync-stack.ts'
import { upgradeLayout } from './upgrade-layout.ts'

const fixture = join(import.meta.dirname, '../../../test/fixtures/backends/legacy')
const id = stackIdOf('shop', 'old')
const nobody = async () => new Map<string, string>()

/** Opens the dependencies of an upgrade of the fixture. */
async function openDeps() {
  const folder = mkdtempSync(join(tmpdir(), 'antichain-upgrade-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  cpSync(fixture, join(folder, 'backend'), { recursive: true })
  const store = createFileObjects(join(folder, 'backend'), { hasAttributes: false })
  const backend = await openBackend(store, {})
  expect(backend.layout).toBe('legacy')
  await saveBackendTags(backend, id, { owner: 'me' })
  const held: string[] = []
  const locks = {
    acquire: async (stack: StackId) => void held.push(stack),
    release: async (stack: StackId) => void held.push(`-${stack}`),
  }
  const catalog = { getStack: async (): Promise<StackRecord | undefined> => undefined }
  return { backend, catalog, locks, held, marks: createStackMarks(join(folder, 'marks')) }
}
type Deps = Awaited<ReturnType<typeof openDeps>>

/** Lets change number `failsAt` of the store, and all later ones, fail. */
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
    deps.marks.update(id, { checkpoint: checkpointDigestOf(before ?? Buffer.of()), base: 'base' })
    const isWhole = await upgradeLayout(failAt(deps, failsAt), nobody).then(
      ({ upgraded }) => upgraded.length === 1,
      () => false,
    )
    if (!isWhole) await upgradeLayout(deps, nobody)
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
    expect(deps.marks.read(id)).toMatchObject({ base: 'base' })
    const lockEvents = deps.held.slice(-2)
    expect(lockEvents).toEqual([id, `-${id}`])
    if (isWhole) {
      expect(failsAt).toBeGreaterThan(6)
      return
    }
  }
})

test('an existing stack of the project and an unfinished deployment are skipped', async () => {
  const deps = await openDeps()
  await createStackObject({ ...deps.backend, layout: 'project' }, id)
  const { skipped } = await upgradeLayout(deps, nobody)
  expect(skipped).toEqual([{ stack: 'old', reason: expect.stringContaining('exists already') }])
  expect(await deps.backend.store.get('.pulumi/stacks/old.json')).toBeDefined()
  const catalog = { getStack: async () => ({ current: `${id}/7` }) as unknown as StackRecord }
  const busy = await upgradeLayout({ ...deps, catalog }, nobody)
  expect(busy.skipped).toEqual([{ stack: 'old', reason: expect.stringContaining('unfinished') }])
})

test('a stack without resources gets the named project', async () => {
  const deps = await openDeps()
  await createStackObject(deps.backend, stackIdOf('-', 'empty'))
  const prompted: (readonly string[])[] = []
  const { upgraded } = await upgradeLayout(deps, async stacks => {
    prompted.push(stacks)
    return new Map([['empty', 'mall']])
  })
  expect([prompted, upgraded]).toEqual([[['empty']], [stackIdOf('mall', 'empty'), id]])
})

test('a damaged checkpoint or a denied write of the metadata changes nothing', async () => {
  const deps = await openDeps()
  const { store } = deps.backend
  const list = async () => (await store.list('.pulumi/')).map(({ key }) => key)
  const before = await list()
  const put = async (): Promise<never> => Promise.reject(error('BACKEND_DENIED', 'denied'))
  const denied = { ...deps, backend: { ...deps.backend, store: { ...store, put } } }
  await expect(upgradeLayout(denied, nobody)).rejects.toMatchObject({ code: 'BACKEND_DENIED' })
  expect(await list()).toEqual(before)
  await store.put('.pulumi/stacks/bad.json', Buffer.from('{"version":3'))
  await expect(upgradeLayout(deps, nobody)).rejects.toThrow(DeployError)
  expect((await findBackend(store, {}))?.layout).toBe('legacy')
})
