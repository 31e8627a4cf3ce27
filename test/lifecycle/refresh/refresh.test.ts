import { afterEach, expect, test } from 'vitest'
import { ReadResponse } from '../../../proto/gen/pulumi/provider.ts'
import type { ReadRequest } from '../../../proto/gen/pulumi/provider.ts'
import { createInitFailure } from '../../../shared/providers/pulumi/scripted-server.fixture.ts'
import { createCloud } from '../cloud.ts'
import { waitUntil } from '../../e2e/sandbox.ts'
import type { TestRun } from '../engine.ts'
import { editStackResources } from '../stack-states.ts'
import {
  listStateNames,
  listNamesByOp,
  resourceStateOf,
  targetUrnOf,
} from '../target/run-summary.ts'
import { diagnosticsOf } from '../run-events.ts'
import { createEngines, createThings, getTestStack, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const refresh = { command: 'refresh' } as const

/** Creates a cloud whose reads call `answer`. If that returns undefined, the result is normal. */
function createReadingCloud(answer: (request: ReadRequest) => unknown) {
  const cloud = createCloud()
  const script = {
    ...cloud.script,
    read: async (request: never) => (await answer(request)) ?? cloud.script.read?.(request),
  }
  return { ...cloud, script }
}

test('TestParallelRefresh: the resource list keeps its order', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const names = ['a', 'b', 'c', 'd']
  const before = await engine.run(async monitor => {
    let last: readonly string[] = []
    for (const name of names)
      last = [(await registerThing(monitor, name, { v: 1 }, { dependencies: last })).urn]
  })
  const testRun = await engine.run(undefined, { ...refresh, parallel: 4 })
  expect(listNamesByOp(testRun, 'refresh').filter(name => names.includes(name))).toEqual(names)
  const urnsOf = ({ state }: TestRun) => state.resources?.map(({ urn }) => urn)
  expect(urnsOf(testRun)).toEqual(urnsOf(before))
})

test('TestExternalRefresh, TestExternalRefreshDoesNotCallDiff: an external resource is compared by its outputs', async () => {
  const cloud = createCloud()
  cloud.objects.set('there', { v: 1 })
  const engine = await engines.open(cloud)
  await engine.run(async monitor => void (await monitor.read('a', 'there')))
  const same = await engine.run(undefined, refresh)
  expect(same.result.changes['update']).toBe(undefined)
  expect(resourceStateOf(same, 'a')['external']).toBe(true)
  cloud.objects.set('there', { v: 2 })
  const drifted = await engine.run(undefined, refresh)
  expect(drifted.result.changes).toMatchObject({ update: 1 })
  expect(resourceStateOf(drifted, 'a')).toMatchObject({ external: true, outputs: { v: 2 } })
  expect(engine.provider.calls.filter(({ method }) => method === 'diff')).toEqual([])
})

test('TestRefreshInitFailure: an unhealthy object causes a warning, and its state keeps the errors until the object is healthy', async () => {
  const health = { isBad: false }
  const cloud = createReadingCloud(({ id, properties = {}, inputs = {} }) => {
    if (!health.isBad || id !== 'a-1') return undefined
    throw createInitFailure({ id, reasons: ['still failing'], properties, inputs })
  })
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
  await editStackResources(engine, resource => [
    resource.urn.endsWith('::a') ? { ...resource, initErrors: ['failed'] } : resource,
  ])
  health.isBad = true
  const bad = await engine.run(undefined, refresh)
  expect(bad.result.result).toBe('succeeded')
  expect(diagnosticsOf(bad, 'warning').join()).toContain('unhealthy state:\n* still failing')
  expect(resourceStateOf(bad, 'a')).toMatchObject({ id: 'a-1', initErrors: ['still failing'] })
  health.isBad = false
  const good = await engine.run(undefined, refresh)
  expect(resourceStateOf(good, 'a')['initErrors'] ?? []).toEqual([])
  expect(listStateNames(good)).toEqual(['a', 'b'])
})

test('TestRefreshWithDelete, TestRefreshUpdateWithDeletedResource: a resource whose object is missing leaves the state', async () => {
  for (const parallel of [1, 4]) {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(createThings({ a: { v: 1 } }))
    cloud.objects.clear()
    const testRun = await engine.run(undefined, { ...refresh, parallel })
    expect(testRun.result.changes).toMatchObject({ delete: 1 })
    expect(listStateNames(testRun)).toEqual([])
    const up = await engine.run(createThings({ a: { v: 1 } }))
    expect(listStateNames(up)).toEqual(['a'])
    cloud.objects.clear()
    const updated = await engine.run(createThings({}), { refresh: true, parallel })
    expect(updated.result.result).toBe('succeeded')
    expect(listStateNames(updated)).toEqual([])
    expect(cloud.mutatingCalls).toEqual(['create a', 'create a'])
  }
})

test('TestRefreshDeleteDependencies, TestRefreshDeletePropertyDependencies, TestRefreshDeleteDeletedWith, TestRefreshDeleteParent: references to a missing resource are removed', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    const a = await registerThing(monitor, 'a', { v: 1 })
    const b = await registerThing(monitor, 'b', { v: 1 }, { dependencies: [a.urn] })
    const propertyDependencies = new Map([['v', { urns: [a.urn, b.urn] }]])
    await registerThing(monitor, 'c', { v: 1 }, { dependencies: [a.urn, b.urn] })
    await registerThing(monitor, 'p', { v: 1 }, { propertyDependencies })
    await registerThing(monitor, 'w', { v: 1 }, { deletedWith: a.urn })
    await registerThing(monitor, 'child', { v: 1 }, { parent: a.urn })
  })
  cloud.objects.delete('a-1')
  // Resources outside of the targets lose these references, too.
  const testRun = await engine.run(undefined, {
    ...refresh,
    targeting: { targets: [targetUrnOf('a')] },
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(listNamesByOp(testRun, 'refresh')).toEqual(['a'])
  expect(listStateNames(testRun)).toEqual(['b', 'c', 'child', 'p', 'w'])
  expect(resourceStateOf(testRun, 'b').dependencies ?? []).toEqual([])
  expect(resourceStateOf(testRun, 'c').dependencies).toEqual([targetUrnOf('b')])
  expect(resourceStateOf(testRun, 'p')['propertyDependencies']).toEqual({ v: [targetUrnOf('b')] })
  expect(resourceStateOf(testRun, 'w')['deletedWith']).toBe(undefined)
  expect(resourceStateOf(testRun, 'child').parent).toBe(undefined)
})

test('TestCanceledRefresh: completed reads are kept, and the other resources are unchanged', async () => {
  const reached = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const cloud = createReadingCloud(async () => {
    reached.resolve()
    await held.promise
    return undefined
  })
  const engine = await engines.open(cloud)
  const names = ['a', 'b', 'c']
  await engine.run(createThings(Object.fromEntries(names.map(name => [name, { v: 1 }]))))
  for (const name of names) cloud.objects.set(`${name}-1`, { v: 2 })
  const isStopped = async (): Promise<boolean> => {
    const { current } = await getTestStack(engine.platform)
    return current !== '' && (await engine.platform.control.read(current))?.stop === 'graceful'
  }
  const testRun = await engine.run(undefined, {
    ...refresh,
    parallel: 1,
    onStart: running =>
      void reached.promise.then(async () => {
        running.cancel()
        // The next read begins only if the control record has no stop yet.
        await waitUntil(isStopped, { condition: 'the stop' })
        held.resolve()
      }),
  })
  expect(testRun.result.result).toBe('cancelled')
  const readNames = names.filter(name => resourceStateOf(testRun, name).outputs?.['v'] === 2)
  expect(readNames).toHaveLength(1)
  expect(listStateNames(testRun)).toEqual(names)
})

test('TestRefreshStepWillPersistUpdatedIDs, TestRefreshPreservesInputsWhenReadReturnsNoInputs: a new id is stored, and old inputs are kept when a read returns none', async () => {
  const cloud = createReadingCloud(() => ReadResponse.create({ id: 'other', properties: { v: 2 } }))
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  const testRun = await engine.run(undefined, refresh)
  expect(resourceStateOf(testRun, 'a')).toMatchObject({
    id: 'other',
    inputs: { v: 1 },
    outputs: { v: 2 },
  })
})
