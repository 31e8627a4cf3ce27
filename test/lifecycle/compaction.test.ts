import { afterEach, expect, test } from 'vitest'
import { compact, readState } from '../../shared/runtime/compaction/fold-and-publish.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import { stackType } from '../../shared/names/urn.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import { type DeploymentId, deploymentIdOf } from '../../shared/records/ids.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { TestEngine, TestRunOptions } from './engine.ts'
import { ProcessKilledError } from './test-process.ts'
import { createForeignCloud, firstProgram, secondProgram } from './resume.ts'
import { createEngines, getTestStack, registerThing } from './register-thing.ts'
import { targetUrnOf } from './target/run-summary.ts'

const engines = createEngines()
afterEach(() => engines.close())

const killBeforePublish = { call: 'catalog.publish', effect: 1, when: 'before' as const }

/** Opens an engine whose second deployment died after its fold and before its publish. */
async function stopBeforePublish(): Promise<{ engine: TestEngine; deployment: DeploymentId }> {
  const engine = await engines.open(createForeignCloud())
  await engine.run(firstProgram)
  const killed = engine.run(secondProgram, { kill: killBeforePublish })
  await expect(killed).rejects.toBeInstanceOf(ProcessKilledError)
  const { current } = await getTestStack(engine.platform)
  if (current === '') throw new Error('no deployment was left')
  return { engine, deployment: current }
}

/**
 * Returns ports that fail from the write number `failingWrite` of a compaction on. With
 * `takesEffect`, that write itself still takes place.
 */
function createFailingPorts(
  platform: Platform,
  failingWrite: number,
  takesEffect: boolean,
): Platform {
  let writes = 0
  const guard =
    <A extends unknown[], R>(call: (...args: A) => Promise<R>) =>
    async (...args: A): Promise<R> => {
      writes += 1
      if (writes > failingWrite || (writes === failingWrite && !takesEffect))
        throw new Error('dead')
      const result = await call(...args)
      if (writes === failingWrite) throw new Error('dead')
      return result
    }
  return {
    ...platform,
    blobs: { ...platform.blobs, put: guard(platform.blobs.put) },
    catalog: { ...platform.catalog, publish: guard(platform.catalog.publish) },
  }
}

test('three concurrent compactions, and a later one, produce one version with the same bytes', async () => {
  const { engine, deployment } = await stopBeforePublish()
  const { platform } = engine
  const results = await Promise.all([1, 2, 3].map(() => compact(platform, deployment)))
  const laterResult = await compact(platform, deployment)
  expect(new Set([...results, laterResult].map(result => JSON.stringify(result))).size).toBe(1)
  const stack = await getTestStack(platform)
  expect(stack).toMatchObject({ version: laterResult.version, snapshot: laterResult.snapshot })
  expect(await platform.catalog.listVersions(stack.id, 9)).toHaveLength(2)
})

test.each([
  [1, false],
  [1, true],
  [2, false],
  [2, true],
])(
  'a compaction that died at its write %i (took effect: %s) is repeated with the same bytes',
  async (failingWrite, takesEffect) => {
    const { engine, deployment } = await stopBeforePublish()
    const { platform } = engine
    const before = await getTestStack(platform)
    const dead = compact(createFailingPorts(platform, failingWrite, takesEffect), deployment)
    await expect(dead).rejects.toThrow('dead')
    const stackBetween = await getTestStack(platform)
    const isPublished = failingWrite === 2 && takesEffect
    expect(stackBetween.version).toBe(before.version + (isPublished ? 1 : 0))
    const repeated = await compact(platform, deployment)
    expect(repeated.version).toBe(before.version + 1)
    if (isPublished) expect(repeated.snapshot).toBe(stackBetween.snapshot)
    // The next deployment closes this one, at whatever step it stopped.
    const closing = await engine.run(secondProgram)
    expect(closing.result.result).toBe('succeeded')
    const versions = await platform.catalog.listVersions(before.id, 9)
    expect(versions.find(candidate => candidate.version === repeated.version)?.snapshot).toBe(
      repeated.snapshot,
    )
    const history = await platform.catalog.listHistory(before.id, 9)
    expect(history.map(({ version }) => version)).toEqual([3, 2, 1])
  },
)

test('a targeted deployment that died after its publish keeps the changes of a later one', async () => {
  const engine = await engines.open(createForeignCloud())
  const deployThing = (v: number, name: string, more: TestRunOptions = {}) =>
    engine.run(
      async monitor => {
        for (const thing of ['a', 'b']) await registerThing(monitor, thing, { v })
        await monitor.registerOutputs(monitor.stack, { v })
      },
      { ...(name === '' ? {} : { targeting: { targets: [targetUrnOf(name)] } }), ...more },
    )
  await deployThing(1, '')
  const kill = { call: 'catalog.publish', effect: 1, when: 'after' } as const
  await expect(deployThing(2, 'a', { kill })).rejects.toBeInstanceOf(ProcessKilledError)
  const later = await deployThing(3, 'b')
  expect(later.result.result).toBe('succeeded')
  const { platform } = engine
  const stack = await getTestStack(platform)
  const [firstTargeted] = stack.targeted ?? []
  const published = await readSnapshotBlob(platform.blobs, stack.snapshot)
  expect(await readState(platform, stack)).toEqual(published)
  if (firstTargeted === undefined) throw new Error('the first targeted deployment is not open')
  expect(await compact(platform, firstTargeted.deployment)).toMatchObject({ version: 2 })
  expect(await getTestStack(platform)).toMatchObject({ version: 3, snapshot: stack.snapshot })
  const findResource = (urn: string) => published.resources?.find(resource => resource.urn === urn)
  const [a, b] = ['a', 'b'].map(name => findResource(targetUrnOf(name))?.['inputs'])
  expect([a, b]).toEqual([{ v: 2 }, { v: 3 }])
  expect(published.resources?.find(({ type }) => type === stackType)?.['outputs']).toEqual({ v: 3 })
})

test('a targeted deployment publishes one version, even if another one has published its changes', async () => {
  const engine = await engines.open(createForeignCloud())
  const { platform } = engine
  const setOutput = (v: number, name: string, more: TestRunOptions = {}) =>
    engine.run(
      async monitor => {
        for (const thing of ['a', 'b']) await registerThing(monitor, thing, {})
        await monitor.registerOutputs(monitor.stack, { v })
      },
      { ...(name === '' ? {} : { targeting: { targets: [targetUrnOf(name)] } }), ...more },
    )
  await setOutput(1, '')
  await expect(setOutput(2, 'a', { kill: killBeforePublish })).rejects.toBeInstanceOf(
    ProcessKilledError,
  )
  await setOutput(2, 'b')
  const [firstTargeted] = (await getTestStack(platform)).targeted ?? []
  if (firstTargeted === undefined) throw new Error('the first targeted deployment is not open')
  const closed = await compact(platform, firstTargeted.deployment)
  expect(closed).toMatchObject({ version: 3 })
  await setOutput(3, 'b')
  expect(await compact(platform, firstTargeted.deployment)).toEqual(closed)
  const stack = await getTestStack(platform)
  const { resources = [] } = await readState(platform, stack)
  expect(stack.version).toBe(4)
  expect(resources.find(({ type }) => type === stackType)?.['outputs']).toEqual({ v: 3 })
})

test('a close of a targeted deployment publishes nothing if another close has released the deployment', async () => {
  const engine = await engines.open(createForeignCloud())
  const { platform } = engine
  const deployThing = (v: number, name: string) =>
    engine.run(
      async monitor => {
        for (const thing of ['a', 'b']) await registerThing(monitor, thing, { v })
        await monitor.registerOutputs(monitor.stack, { v })
      },
      name === '' ? {} : { targeting: { targets: [targetUrnOf(name)] } },
    )
  await deployThing(1, '')
  await deployThing(2, 'a')
  const released = await getTestStack(platform)
  const deployment = deploymentIdOf(released.id, 2)
  expect(await compact(platform, deployment)).toMatchObject({ version: 2 })
  await deployThing(3, 'b')
  const stack = await getTestStack(platform)
  const newest = { version: 3, snapshot: stack.snapshot }
  expect(await compact(platform, deployment)).toEqual(newest)
  expect(await getTestStack(platform)).toMatchObject(newest)
})

test('a close that died between publish and release does not publish again', async () => {
  for (const call of ['catalog.publish', 'control.close']) {
    const engine = await engines.open(createForeignCloud())
    await engine.run(firstProgram)
    const kill = { call, effect: 1, when: 'after' as const }
    await expect(engine.run(secondProgram, { kill })).rejects.toBeInstanceOf(ProcessKilledError)
    const published = await getTestStack(engine.platform)
    expect(published).toMatchObject({ version: 2, current: deploymentIdOf(published.id, 2) })
    const next = await engine.run(secondProgram)
    expect(next.result.hasChanges).toBe(false)
    const versions = await engine.platform.catalog.listVersions(published.id, 9)
    expect(versions.find(({ version }) => version === 2)?.snapshot).toBe(published.snapshot)
  }
})

test('a deployment without changes publishes the blob of its base, and one with a change does not', async () => {
  const engine = await engines.open(createForeignCloud())
  const { platform } = engine
  const deploy = async (...args: Parameters<typeof engine.run>): Promise<string> => {
    await engine.run(...args)
    return (await getTestStack(platform)).snapshot
  }
  const created = await deploy(firstProgram)
  expect(await deploy(firstProgram)).toBe(created)
  // The first refresh rebuilds the references of the resources.
  const refreshed = await deploy(undefined, { command: 'refresh' })
  expect(refreshed).not.toBe(created)
  expect(await deploy(undefined, { command: 'refresh' })).toBe(refreshed)
  expect(await deploy(secondProgram)).not.toBe(refreshed)
  const { id } = await getTestStack(platform)
  expect(await platform.catalog.listVersions(id, 9)).toHaveLength(5)
})

test('a platform that writes unchanged snapshots gets one with the time of each deployment', async () => {
  const engine = await engines.open(createForeignCloud())
  const { platform } = engine
  await engine.run(firstProgram)
  const { snapshot } = await getTestStack(platform)
  const kill = killBeforePublish
  await expect(engine.run(firstProgram, { kill })).rejects.toBeInstanceOf(ProcessKilledError)
  const { current } = await getTestStack(platform)
  if (current === '') throw new Error('no deployment was left')
  const closed = await compact({ ...platform, writesUnchangedSnapshots: true }, current)
  expect(closed.snapshot).not.toBe(snapshot)
  const [before, after] = await Promise.all(
    [snapshot, closed.snapshot].map(hash => readSnapshotBlob(platform.blobs, hash)),
  )
  expect(after?.manifest.time).not.toBe(before?.manifest.time)
  expect({ ...after, manifest: {} }).toEqual({ ...before, manifest: {} })
})

test('readers always see a complete state, and the pointer always names an existing snapshot', async () => {
  const engine = await engines.open(createForeignCloud())
  await engine.run(firstProgram)
  const { platform } = engine
  let isRunning = true
  let reads = 0
  const seen = new Set<number>()
  const reading = (async () => {
    while (isRunning) {
      const stack = await getTestStack(platform)
      const states = [
        await readState(platform, stack),
        await readSnapshotBlob(platform.blobs, stack.snapshot),
      ]
      for (const state of states) expect(verifyIntegrity(state)).toBeUndefined()
      seen.add(stack.version)
      reads += 1
    }
  })()
  await engine.run(secondProgram)
  await engine.run(undefined, { command: 'destroy' })
  isRunning = false
  await reading
  expect(reads).toBeGreaterThan(3)
  expect(seen.size).toBeGreaterThan(1)
})
