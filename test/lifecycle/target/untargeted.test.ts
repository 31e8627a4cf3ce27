import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { TestRunOptions, Program } from '../engine.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'
import {
  errorMessagesOf,
  listStateNames,
  listNamesByOp,
  registerProvider,
  resourceStateOf,
  allStepsOf,
  targetUrnOf,
} from './run-summary.ts'

const engines = createEngines()
afterEach(() => engines.close())

/**
 * A chain of resources, each linked to the previous one by a dependency, deletedWith, a property or
 * its parent, and an independent target.
 */
const chainProgram: Program = async monitor => {
  const a = await registerThing(monitor, 'a', {})
  const b = await registerThing(monitor, 'b', {}, { dependencies: [a.urn] })
  const c = await registerThing(monitor, 'c', {}, { deletedWith: b.urn })
  const byProperty = { propertyDependencies: new Map([['v', { urns: [c.urn] }]]) }
  const d = await registerThing(monitor, 'd', { v: 1 }, byProperty)
  await registerThing(monitor, 'e', {}, { parent: d.urn })
  await registerThing(monitor, 'target', { v: 1 })
}

test('TestUntargetedDependencyChainsArePreserved: resources outside of the targets keep all dependencies, registered or not', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(chainProgram)
  const testRun = await engine.run(
    async monitor => {
      await registerThing(monitor, 'target', { v: 2 })
      await registerThing(monitor, 'd', { v: 2 })
    },
    { targeting: { targets: [targetUrnOf('target')] } },
  )
  expect(testRun.result.result).toBe('succeeded')
  expect(listStateNames(testRun)).toEqual(['a', 'b', 'c', 'd', 'e', 'target'])
  // The unregistered dependencies of `d` come before it. `e`, on which nothing depends, is last.
  expect(allStepsOf(testRun)).toEqual([
    'update target',
    'same a',
    'same b',
    'same c',
    'same d',
    'same e',
  ])
  const order = (testRun.state.resources ?? []).map(({ urn }) => urn)
  const places = [targetUrnOf('a'), targetUrnOf('b'), targetUrnOf('c'), targetUrnOf('d')].map(urn =>
    order.findIndex(candidate => candidate === urn),
  )
  expect(places).toEqual([...places].sort((x, y) => x - y))
})

test('an aliased resource outside of the targets keeps its old URN, which its dependents receive', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ old: { v: 1 }, target: { v: 1 } }))
  let urn = ''
  const testRun = await engine.run(
    async monitor => {
      const aliases = [{ alias: { $case: 'spec', value: { ...spec, name: 'old' } } }]
      const renamed = await registerThing(monitor, 'new', { v: 2 }, { aliases })
      urn = renamed.urn
      await registerThing(monitor, 'target', { v: 2 }, { dependencies: [renamed.urn] })
    },
    { targeting: { targets: [targetUrnOf('target')] } },
  )
  expect(testRun.result.result).toBe('succeeded')
  expect(urn).toBe(targetUrnOf('old'))
  expect(listStateNames(testRun)).toEqual(['old', 'target'])
  expect(resourceStateOf(testRun, 'target').dependencies).toEqual([targetUrnOf('old')])
})
const spec = { name: '', type: '', stack: '', project: '', parent: undefined }

test('TestUntargetedSameStepsAcceptDeletedResources: old copies among the dependencies are ignored', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (value: number): Program =>
    async monitor => {
      const a = await registerThing(monitor, 'a', { replace: value })
      await registerThing(monitor, 'b', { v: 1 }, { dependencies: [a.urn] })
      await registerThing(monitor, 'target', { v: value })
    }
  await engine.run(program(1))
  cloud.faults.add('delete a-1')
  const failed = await engine.run(program(2))
  expect(failed.result.result).toBe('failed')
  const testRun = await engine.run(program(3), { targeting: { targets: [targetUrnOf('target')] } })
  expect(testRun.result.result).toBe('succeeded')
  const copies = (testRun.state.resources ?? []).filter(({ urn }) => urn === targetUrnOf('a'))
  expect(copies.map(({ id, delete: isOld = false }) => [id, isOld])).toContainEqual(['a-2', false])
  expect(copies.map(({ id, delete: isOld = false }) => [id, isOld])).toContainEqual(['a-1', true])
  expect(listNamesByOp(testRun, 'delete-replaced')).toEqual([])
})

const createVersions =
  (versionsByName: Record<string, string>): Program =>
  async monitor => {
    for (const [name, version] of Object.entries(versionsByName))
      await registerThing(monitor, name, {}, { version })
  }

test('TestTargetChangeProviderVersion: a resource outside of the targets cannot move to another provider', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createVersions({ target: '1.0.0', other: '1.0.0' }))
  const testRun = await engine.run(createVersions({ target: '2.0.0', other: '2.0.0' }), {
    targeting: { targets: [targetUrnOf('target')] },
  })
  expect(testRun.result.result).toBe('failed')
  expect(errorMessagesOf(testRun).join()).toContain(
    `for resource ${targetUrnOf('other')} has not been registered yet, this is due to a change of providers`,
  )
  expect(resourceStateOf(testRun, 'other').provider).toContain('default_1_0_0')
})

test('TestTargetChangeAndSameProviderVersion: a resource outside of the targets cannot move to another provider, even if another resource registers the old one later', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createVersions({ target: '1.0.0', one: '1.0.0', two: '1.0.0' }))
  const testRun = await engine.run(
    createVersions({ target: '2.0.0', one: '2.0.0', two: '1.0.0' }),
    {
      targeting: { targets: [targetUrnOf('target')] },
    },
  )
  expect(testRun.result.result).toBe('failed')
  expect(errorMessagesOf(testRun).join()).toContain(
    `for resource ${targetUrnOf('one')} has not been registered yet`,
  )
  expect(listStateNames(testRun)).toEqual(['one', 'target', 'two'])
})

test('TestUntargetedProviderChange: a resource outside of the targets cannot move from an explicit provider', async () => {
  const engine = await engines.open(createCloud())
  const program =
    (isExplicit: boolean): Program =>
    async monitor => {
      await registerThing(monitor, 'target', { v: isExplicit ? 1 : 2 })
      const providerOption = isExplicit ? { provider: await registerProvider(monitor, 'own') } : {}
      await registerThing(monitor, 'other', {}, providerOption)
    }
  await engine.run(program(true))
  const testRun = await engine.run(program(false), {
    targeting: { targets: [targetUrnOf('target')] },
  })
  expect(errorMessagesOf(testRun).join()).toContain(
    `for resource ${targetUrnOf('other')} has not been registered`,
  )
  expect(resourceStateOf(testRun, 'other').provider).toContain('::own::')
})

test('TestUntargetedAliasedProviderChanges: a provider that is renamed by an alias is the same one', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(async monitor => {
    await monitor.register({ type: 'test:index:Group', name: 'parent', object: {} })
    await registerThing(monitor, 'res', {}, { provider: await registerProvider(monitor, 'own') })
  })
  const testRun = await engine.run(
    async monitor => {
      const { urn } = await monitor.register({
        type: 'test:index:Group',
        name: 'parent',
        object: {},
      })
      const aliasURNs = [`urn:pulumi:dev::life::pulumi:providers:test::own`]
      const ownProvider = await registerProvider(monitor, 'own', { parent: urn, aliasURNs })
      await registerThing(monitor, 'res', {}, { provider: ownProvider })
    },
    { targeting: { targets: ['**non-existing**'] } },
  )
  expect(errorMessagesOf(testRun)).toEqual([])
  expect(resourceStateOf(testRun, 'res').provider).toContain(
    'test:index:Group$pulumi:providers:test::own::',
  )
})

test('TestUntargetedRefreshedProviderUpdate: the old provider of an unregistered resource is kept after a refresh', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createVersions({ a: '1.0.0', b: '1.0.0' }))
  const testRun = await engine.run(createVersions({ a: '2.0.0' }), {
    refresh: true,
    targeting: { targets: ['**::a'] },
  })
  expect(errorMessagesOf(testRun)).toEqual([])
  expect(listStateNames(testRun)).toEqual(['a', 'b'])
  expect(resourceStateOf(testRun, 'b').provider).toContain('default_1_0_0')
  expect(resourceStateOf(testRun, 'a').provider).toContain('default_2_0_0')
})

test('TestTargetedOperationSkipsUnrelatedProviderConfiguration: providers of unaffected resources are not configured', async () => {
  const engine = await engines.open(createCloud())
  const other = { type: 'other:index:Thing', name: 'a', custom: true, object: {} }
  await engine.run(async monitor => {
    await monitor.register(other)
    await registerThing(monitor, 'b', {})
  })
  const targeting = { targets: [targetUrnOf('b')] }
  const configured: string[] = []
  const watched = {
    targeting,
    provider: (inner: Parameters<NonNullable<TestRunOptions['provider']>>[0]) => ({
      ...inner,
      configure: (request: Parameters<typeof inner.configure>[0]) => {
        configured.push(request.type)
        return inner.configure(request)
      },
    }),
  }
  const testRun = await engine.run(createThings({ b: { v: 2 } }), watched)
  expect(listStateNames(testRun)).toEqual(['a', 'b'])
  const destroyRun = await engine.run(undefined, { ...watched, command: 'destroy' })
  expect(listStateNames(destroyRun)).toEqual(['a'])
  expect(new Set(configured)).toEqual(new Set(['pulumi:providers:test']))
})

/** Registers the marker first, without the dependencies that it has in `markerLast`. */
const markerFirst: Program = async monitor => {
  await registerThing(monitor, 'marker', {})
  await registerThing(monitor, 'one', { v: 2 })
  await registerThing(monitor, 'two', { v: 2 })
}

const markerLast: Program = async monitor => {
  const one = await registerThing(monitor, 'one', { v: 1 })
  const two = await registerThing(monitor, 'two', { v: 1 })
  await registerThing(monitor, 'marker', {}, { dependencies: [one.urn, two.urn] })
}

test('TestTargetedPreviewNoDuplicateURN_Issue24303: a kept dependency may be registered later', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(markerLast)
  const testRun = await engine.run(markerFirst, {
    dryRun: true,
    targeting: { targets: ['**::nothing'] },
  })
  expect(errorMessagesOf(testRun)).toEqual([])
  expect(testRun.result.result).toBe('succeeded')
})

test('TestTargetedUpdateAppliesNewInputs_Issue24303: a kept dependency that is a target is updated when it is registered', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(markerLast)
  const testRun = await engine.run(markerFirst, { targeting: { targets: ['**::one', '**::two'] } })
  expect(errorMessagesOf(testRun)).toEqual([])
  expect(listNamesByOp(testRun, 'update')).toEqual(['one', 'two'])
  expect(['one', 'two'].map(name => resourceStateOf(testRun, name).inputs)).toEqual([
    { v: 2 },
    { v: 2 },
  ])
})
