import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Monitor, Program, TestEngine } from '../engine.ts'
import type { StoredResource } from '../../../shared/state/stored.ts'
import { editStackState } from '../stack-states.ts'
import {
  errorMessagesOf,
  listStateNames,
  listNamesByOp,
  defaultProviderUrnOf,
  resourceStateOf,
  targetUrnOf,
} from '../target/run-summary.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const byProgram = { command: 'refresh', runProgram: true } as const
const registerGroup = (monitor: Monitor, name: string, more: object = {}) =>
  monitor.register({ type: 'test:index:Group', name, object: {}, ...more })

/** Appends states to the stack, derived from the state with this name. */
function addResources(
  engine: TestEngine,
  name: string,
  createMore: (resource: StoredResource) => readonly StoredResource[],
): Promise<void> {
  return editStackState(engine, state => {
    const resources = state.resources ?? []
    const resource = resources.find(({ urn }) => urn.endsWith(`::${name}`))
    return {
      ...state,
      resources: [...resources, ...(resource === undefined ? [] : createMore(resource))],
    }
  })
}

const threeThings = { a: { v: 1 }, b: { v: 1 }, c: { v: 1 } }

test('TestRefreshV2IncludeTarget, TestRefreshV2ExcludeTarget: only the selected resources are read', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings(threeThings))
  for (const name of Object.keys(threeThings)) cloud.objects.set(`${name}-1`, { v: 2 })
  const read = await engine.run(createThings(threeThings), {
    ...byProgram,
    targeting: { targets: [targetUrnOf('b')] },
  })
  expect(read.result.result).toBe('succeeded')
  expect(listNamesByOp(read, 'refresh')).toEqual(['b'])
  expect(Object.keys(threeThings).map(name => resourceStateOf(read, name).outputs?.['v'])).toEqual([
    1, 2, 1,
  ])
  const otherRun = await engine.run(createThings(threeThings), {
    ...byProgram,
    targeting: { excludes: [targetUrnOf('a')] },
  })
  expect(otherRun.result.result).toBe('succeeded')
  expect(listNamesByOp(otherRun, 'refresh')).toEqual(['b', 'c'])
  expect(
    Object.keys(threeThings).map(name => resourceStateOf(otherRun, name).outputs?.['v']),
  ).toEqual([1, 2, 2])
})

test('TestRefreshV2TargetNotInProgram: a target that the program does not register is read', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    const a = await registerThing(monitor, 'a', { v: 1 })
    await registerThing(monitor, 'b', { v: 1 })
    await registerThing(monitor, 'c', { v: 1 }, { dependencies: [a.urn] })
  })
  for (const name of Object.keys(threeThings)) cloud.objects.set(`${name}-1`, { v: 2 })
  const program = createThings({ a: { v: 1 }, c: { v: 1 } })
  const targeting = { targets: [targetUrnOf('b')] }
  const testRun = await engine.run(program, { ...byProgram, targeting })
  expect(testRun.result.result).toBe('succeeded')
  expect(listNamesByOp(testRun, 'refresh')).toEqual(['b'])
  expect(listStateNames(testRun)).toEqual(['a', 'b', 'c'])
  expect(resourceStateOf(testRun, 'b').outputs).toEqual({ v: 2 })
  expect(resourceStateOf(testRun, 'c').dependencies).toEqual([targetUrnOf('a')])
  const unknown = await engine.run(program, {
    ...byProgram,
    targeting: { targets: [targetUrnOf('nowhere')] },
  })
  expect(errorMessagesOf(unknown)).toEqual([`no resource named '${targetUrnOf('nowhere')}' found`])
})

test('unregistered dependents of a target are not read, as in Pulumi', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program: Program = async monitor => {
    const a = await registerThing(monitor, 'a', { v: 1 })
    const b = await registerThing(monitor, 'b', { v: 1 }, { dependencies: [a.urn] })
    await registerThing(monitor, 'c', { v: 1 }, { dependencies: [b.urn] })
  }
  await engine.run(program)
  const options = {
    ...byProgram,
    targeting: { targets: [targetUrnOf('a')], targetDependents: true },
  }
  expect(listNamesByOp(await engine.run(createThings({}), options), 'refresh')).toEqual(['a'])
  // Registered resources that depend directly on a target are read, too.
  expect(listNamesByOp(await engine.run(program, options), 'refresh')).toEqual(['a', 'b'])
})

test('TestRefreshV2Targeted, TestRefreshV2TargetedWithPropertyDependencies: the resources outside of the targets, and their references, stay valid', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (dependsOnA: boolean): Program =>
    async monitor => {
      const a = await registerThing(monitor, 'a', { v: 1 })
      const propertyDependencies = new Map([['v', { urns: [a.urn] }]])
      const g = await registerGroup(monitor, 'g', { propertyDependencies })
      const type = 'pulumi:providers:test'
      const dependencies = dependsOnA ? [a.urn] : []
      await monitor.register({ type, name: 'p', custom: true, parent: g.urn, dependencies })
    }
  await engine.run(program(false))
  await addResources(engine, 'a', resource => [{ ...resource, id: 'a-0', delete: true }])
  cloud.objects.set('a-1', { v: 2 })
  const urn = 'urn:pulumi:dev::life::test:index:Group::g'
  const testRun = await engine.run(program(true), { ...byProgram, targeting: { targets: [urn] } })
  expect(testRun.result.result).toBe('succeeded')
  expect(listNamesByOp(testRun, 'refresh')).toEqual([])
  expect(listStateNames(testRun)).toEqual(['a', 'a', 'g'])
  expect(resourceStateOf(testRun, 'a').outputs).toEqual({ v: 1 })
  expect(resourceStateOf(testRun, 'p').dependencies).toEqual([targetUrnOf('a')])
  const other = await engine.run(program(true), {
    ...byProgram,
    targeting: { targets: [defaultProviderUrnOf()] },
  })
  expect(other.result.result).toBe('succeeded')
  expect(resourceStateOf(other, 'g')).toMatchObject({
    propertyDependencies: { v: [targetUrnOf('a')] },
  })
})

test('TestRefreshV2FailedRead: a resource whose read failed stays, and no other is read', async () => {
  const cloud = createCloud()
  const script = {
    ...cloud.script,
    read: (request: never) => {
      if ((request as { id: string }).id === 'a-1') throw new Error('read failure')
      return cloud.script.read?.(request)
    },
  }
  const engine = await engines.open({ ...cloud, script })
  await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
  const program: Program = async monitor => {
    await registerThing(monitor, 'a', { v: 2 })
    await registerThing(monitor, 'b', { v: 2 })
  }
  for (const options of [byProgram, { refresh: true, runProgram: true, continueOnError: true }]) {
    const testRun = await engine.run(program, options)
    expect(testRun.result.result).toBe('failed')
    expect(errorMessagesOf(testRun)).toEqual(['read failure'])
    expect(listStateNames(testRun)).toEqual(['a', 'b'])
    expect(resourceStateOf(testRun, 'a')).toMatchObject({ id: 'a-1', inputs: { v: 1 } })
    expect(listNamesByOp(testRun, 'refresh')).toEqual(['a'])
  }
  const shown = await engine.run(program, { ...byProgram, dryRun: true })
  expect(errorMessagesOf(shown)).toEqual(['Preview failed: read failure'])
})

test('TestRefreshDeletedResourceWithChild, TestRefreshV2ParentChildOrdering: children of a missing resource stay valid, or are not created', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program: Program = async monitor => {
    const a = await registerThing(monitor, 'a', { v: 1 })
    const type = 'pulumi:providers:test'
    await monitor.register({ type, name: 'p', custom: true, parent: a.urn })
  }
  await engine.run(program)
  await addResources(engine, 'a', resource => [{ ...resource, id: 'a-1', delete: true }])
  cloud.objects.delete('a-1')
  const testRun = await engine.run(undefined, { command: 'refresh' })
  expect(testRun.result.result).toBe('succeeded')
  expect(listStateNames(testRun)).toEqual([])
  // As in Pulumi, `p` has no parent afterwards, not even the stack.
  expect(resourceStateOf(testRun, 'p').parent).toBe(undefined)
  const other = await engines.open(cloud)
  await other.run(createThings({ parent: { v: 1 } }))
  await addResources(other, 'parent', resource => [{ ...resource, delete: true }])
  cloud.objects.delete('parent-1')
  const ordered = await other.run(async monitor => {
    const parent = await registerThing(monitor, 'parent', { v: 1 })
    await registerGroup(monitor, 'child', { parent: parent.urn })
  }, byProgram)
  expect(ordered.result.result).toBe('succeeded')
  // The parent is not created, so the child is not created either.
  expect(listStateNames(ordered)).not.toContain('child')
})

test('TestRefreshV2DependencyNotInOriginalSnapshot, TestRefreshV2DeletedWithOrdering, TestRefreshV2PropertyDependencyOrdering: a resource that depends on a new one is not created, or stays unchanged', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    await registerGroup(monitor, 'comp')
    const type = 'pulumi:providers:test'
    const propertyDependencies = new Map([
      ['p', { urns: ['urn:pulumi:dev::life::test:index:Group::comp'] }],
    ])
    await monitor.register({ type, name: 'prov', custom: true, propertyDependencies })
  })
  const testRun = await engine.run(async monitor => {
    const added = await registerThing(monitor, 'new', { v: 1 })
    await registerGroup(monitor, 'with', { deletedWith: added.urn })
    const comp = await registerGroup(monitor, 'comp', {
      dependencies: [added.urn],
      deletedWith: added.urn,
    })
    const propertyDependencies = new Map([['p', { urns: [comp.urn] }]])
    const type = 'pulumi:providers:test'
    await monitor.register({ type, name: 'prov', custom: true, propertyDependencies })
    await registerGroup(monitor, 'last', { deletedWith: comp.urn })
  }, byProgram)
  expect(testRun.result.result).toBe('succeeded')
  expect(listStateNames(testRun)).toEqual(['comp', 'last'])
  expect(resourceStateOf(testRun, 'comp').dependencies ?? []).toEqual([])
  expect(resourceStateOf(testRun, 'prov')).toMatchObject({
    propertyDependencies: { p: ['urn:pulumi:dev::life::test:index:Group::comp'] },
  })
})

test('TestRefreshV2ExcludesChildWithExcludedParent: an unregistered child of a missing resource does not fail the refresh', async () => {
  const cloud = createCloud()
  const script = {
    ...cloud.script,
    diff: (request: never) => {
      if ((request as { urn: string }).urn.endsWith('::parent')) throw new Error('no diff')
      return cloud.script.diff?.(request)
    },
  }
  const engine = await engines.open({ ...cloud, script })
  await engine.run(async monitor => {
    const parent = await registerThing(monitor, 'parent', { v: 1 })
    await registerGroup(monitor, 'child', { parent: parent.urn })
  })
  cloud.objects.delete('parent-1')
  const testRun = await engine.run(createThings({ parent: { v: 1 } }), byProgram)
  expect(testRun.result.result).toBe('succeeded')
  expect(listStateNames(testRun)).toEqual(['child'])
  expect(resourceStateOf(testRun, 'child').parent).toBe(undefined)
})

test('a registered resource keeps the empty entries of its property dependencies', async () => {
  const engine = await engines.open(createCloud())
  const propertyDependencies = new Map([['v', { urns: [] }]])
  const program: Program = async monitor => {
    await registerGroup(monitor, 'g', { object: { v: 1 }, propertyDependencies })
    await registerThing(monitor, 'a', { v: 1 }, { propertyDependencies })
  }
  const before = await engine.run(program)
  const read = await engine.run(program, byProgram)
  for (const testRun of [before, read])
    for (const name of ['g', 'a'])
      expect(resourceStateOf(testRun, name)['propertyDependencies'], name).toEqual({ v: [] })
  const nextRun = await engine.run(program, { command: 'refresh' })
  // A refresh without the program removes such property dependencies, as in Pulumi.
  for (const name of ['g', 'a'])
    expect(resourceStateOf(nextRun, name)).not.toHaveProperty('propertyDependencies')
})

test('a resource that is read and registered loses references to resources outside of the targets or the program', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (registersGone: boolean): Program =>
    async monitor => {
      const gone = registersGone
        ? (await registerThing(monitor, 'gone', { v: 1 })).urn
        : targetUrnOf('gone')
      const a = await registerThing(monitor, 'a', { v: 1 })
      const propertyDependencies = new Map([
        ['v', { urns: [a.urn, gone] }],
        ['w', { urns: [] }],
      ])
      const more = { dependencies: [a.urn, gone], propertyDependencies, deletedWith: a.urn }
      const b = await registerThing(monitor, 'b', { v: 1 }, { ...more, parent: a.urn })
      await registerGroup(monitor, 'g', { dependencies: [a.urn, b.urn], propertyDependencies })
      await registerThing(monitor, 'c', { v: 1 }, { dependencies: [a.urn], propertyDependencies })
    }
  const before = await engine.run(program(true))
  const b = String(resourceStateOf(before, 'b').urn)
  const targeting = { targets: [b] }
  const read = await engine.run(program(false), { ...byProgram, targeting })
  expect(read.result.result).toBe('succeeded')
  expect(listNamesByOp(read, 'refresh')).toEqual(['b'])
  for (const field of ['parent', 'dependencies', 'propertyDependencies', 'deletedWith'])
    expect(resourceStateOf(read, 'b'), field).not.toHaveProperty(field)
  expect(resourceStateOf(read, 'g').dependencies).toEqual([b, targetUrnOf('a')])
  // The component keeps `gone`, which no step reads or registers and which is earlier in the state
  // than the component. `b` is later.
  expect(resourceStateOf(read, 'g')['propertyDependencies']).toEqual({
    v: [targetUrnOf('a'), targetUrnOf('gone')],
    w: [],
  })
  // No step reads or registers `c`, and it is later in the state than its dependencies.
  expect(resourceStateOf(read, 'c').dependencies).toEqual([targetUrnOf('a')])
  const nextRun = await engine.run(program(true))
  expect(nextRun.result.result).toBe('succeeded')
  expect(resourceStateOf(nextRun, 'b')).toMatchObject({
    deletedWith: targetUrnOf('a'),
    parent: targetUrnOf('a'),
  })
})

test('a component outside of the targets adds steps `same` for its unread dependencies', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program: Program = async monitor => {
    const a = await registerThing(monitor, 'a', { v: 1 })
    const b = await registerThing(monitor, 'b', { v: 1 })
    const c = await registerThing(monitor, 'c', { v: 1 }, { dependencies: [a.urn, b.urn] })
    const propertyDependencies = new Map([['x', { urns: [a.urn] }]])
    await registerGroup(monitor, 'g', { dependencies: [a.urn, c.urn], propertyDependencies })
    await registerThing(monitor, 'd', { v: 1 }, { dependencies: [a.urn, b.urn] })
  }
  await engine.run(program)
  const testRun = await engine.run(program, {
    ...byProgram,
    targeting: { targets: [targetUrnOf('d')] },
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(listNamesByOp(testRun, 'refresh')).toEqual(['d'])
  // Each of these is reported once, and no other resource is.
  expect(listNamesByOp(testRun, 'same').filter(name => name !== 'life-dev')).toEqual([
    'a',
    'b',
    'c',
    'g',
  ])
  expect(resourceStateOf(testRun, 'g').dependencies).toEqual([targetUrnOf('a'), targetUrnOf('c')])
  expect(resourceStateOf(testRun, 'c').dependencies).toEqual([targetUrnOf('a'), targetUrnOf('b')])
  expect(resourceStateOf(testRun, 'd').dependencies).toEqual([targetUrnOf('a'), targetUrnOf('b')])
})
