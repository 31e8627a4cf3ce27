import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import {
  errorMessagesOf,
  listStateNames,
  registerProvider,
  resourceStateOf,
  targetUrnOf,
} from '../target/run-summary.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const type = 'test:index:Thing'
const [parentUrn, childUrn] = [targetUrnOf('parent'), targetUrnOf('child', [type])]

/** Returns a program that registers a parent and its child. Another value replaces the child. */
const createFamily =
  (value: number): Program =>
  async monitor => {
    const parent = await registerThing(monitor, 'parent', {})
    await registerThing(monitor, 'child', { replace: value }, { parent: parent.urn })
  }

test('TestUpdateWithTargetedParentChildMarkedAsDelete: old copies of children need to be targets, too', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createFamily(1))
  cloud.faults.add('delete child-1')
  await engine.run(createFamily(2))
  cloud.faults.clear()
  const refused = await engine.run(undefined, { targeting: { targets: [parentUrn] } })
  const message = `Resource '${childUrn}' will be destroyed but was not specified in --target list.`
  expect(errorMessagesOf(refused).filter(error => error.startsWith(message))).toHaveLength(2)
  expect([...cloud.objects.keys()].sort()).toEqual(['child-1', 'child-2', 'parent-1'])
  const testRun = await engine.run(undefined, { targeting: { targets: [parentUrn, childUrn] } })
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.objects.size).toBe(0)
})

test('TestUntargetedComponentResource: outputs of a skipped component are accepted and dropped', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ a: { v: 1 } }))
  const testRun = await engine.run(
    async monitor => {
      await registerThing(monitor, 'a', { v: 2 })
      const group = await monitor.register({ type: 'test:index:Group', name: 'new', object: {} })
      await monitor.registerOutputs(group.urn, { x: 1 })
    },
    { targeting: { targets: [targetUrnOf('a')] } },
  )
  expect(testRun.result.result).toBe('succeeded')
  expect(listStateNames(testRun)).toEqual(['a'])
})

test('TestTargetedUpdateRefreshUnknownChildProvider: a provider stays while a resource uses it, even if a read fails', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const group = { type: 'test:index:Group', name: 'comp', object: {} }
  await engine.run(async monitor => {
    const { urn: parent } = await monitor.register(group)
    const ownProvider = await registerProvider(monitor, 'own', { parent })
    await registerThing(monitor, 'res', {}, { parent, provider: ownProvider })
  })
  const old = targetUrnOf('res', ['test:index:Group'])
  const testRun = await engine.run(
    async monitor => {
      await monitor.register(group)
      const ownProvider = await registerProvider(monitor, 'own')
      await registerThing(monitor, 'res', {}, { provider: ownProvider, aliasURNs: [old] })
    },
    {
      refresh: true,
      targeting: { targets: [old] },
      provider: inner => ({ ...inner, read: () => Promise.reject(new Error('the read fails')) }),
    },
  )
  expect(testRun.result.result).toBe('failed')
  const reference = resourceStateOf(testRun, 'res').provider ?? ''
  const urns = (testRun.state.resources ?? []).map(({ urn }) => String(urn))
  expect(urns).toContain(reference.slice(0, reference.lastIndexOf('::')))
})

test('TestTargetedUpdateRefreshWithDeletedParent: an old copy of a parent stays before its children', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const createProgram =
    (value: number): Program =>
    async monitor => {
      const parent = await registerThing(monitor, 'parent', { replace: value })
      await registerThing(monitor, 'child', { replace: value }, { parent: parent.urn })
      await registerThing(monitor, 'target', { v: value })
    }
  await engine.run(createProgram(1))
  cloud.faults.add('delete child-1')
  await engine.run(createProgram(2))
  cloud.faults.clear()
  const testRun = await engine.run(createProgram(2), {
    refresh: true,
    targeting: { targets: [targetUrnOf('target')] },
  })
  expect(errorMessagesOf(testRun)).toEqual([])
  const order = (testRun.state.resources ?? []).map(({ id }) => id)
  for (const id of ['parent-1', 'child-1', 'parent-2', 'child-2']) expect(order).toContain(id)
  expect(order.indexOf('parent-1')).toBeLessThan(order.indexOf('child-1'))
})
