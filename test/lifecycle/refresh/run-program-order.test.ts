import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Monitor, Program, TestEngine } from '../engine.ts'
import type { StoredResource } from '../../../shared/state/stored.ts'
import { edited } from '../states.ts'
import { errorsOf, kept, namesBy, providerUrn, stateOf, urnOf } from '../target/look.ts'
import { createEngines, thing, things } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const byProgram = { command: 'refresh', runProgram: true } as const
const group = (monitor: Monitor, name: string, more: object = {}) =>
  monitor.register({ type: 'test:index:Group', name, object: {}, ...more })

/** Puts further states behind those of the stack, each made from the one of a name. */
function withMore(
  engine: TestEngine,
  name: string,
  more: (found: StoredResource) => readonly StoredResource[],
): Promise<void> {
  return edited(engine, state => {
    const resources = state.resources ?? []
    const found = resources.find(({ urn }) => urn.endsWith(`::${name}`))
    return { ...state, resources: [...resources, ...(found === undefined ? [] : more(found))] }
  })
}

const three = { a: { v: 1 }, b: { v: 1 }, c: { v: 1 } }

test('TestRefreshV2IncludeTarget, TestRefreshV2ExcludeTarget: only what is meant is read', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(things(three))
  for (const name of Object.keys(three)) cloud.objects.set(`${name}-1`, { v: 2 })
  const read = await engine.run(things(three), {
    ...byProgram,
    targeting: { targets: [urnOf('b')] },
  })
  expect(read.result.result).toBe('succeeded')
  expect(namesBy(read, 'refresh')).toEqual(['b'])
  expect(Object.keys(three).map(name => stateOf(read, name).outputs?.['v'])).toEqual([1, 2, 1])
  const others = await engine.run(things(three), {
    ...byProgram,
    targeting: { excludes: [urnOf('a')] },
  })
  expect(others.result.result).toBe('succeeded')
  expect(namesBy(others, 'refresh')).toEqual(['b', 'c'])
  expect(Object.keys(three).map(name => stateOf(others, name).outputs?.['v'])).toEqual([1, 2, 2])
})

test('TestRefreshV2TargetNotInProgram: a target that the program does not register is read', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(async monitor => {
    const a = await thing(monitor, 'a', { v: 1 })
    await thing(monitor, 'b', { v: 1 })
    await thing(monitor, 'c', { v: 1 }, { dependencies: [a.urn] })
  })
  for (const name of Object.keys(three)) cloud.objects.set(`${name}-1`, { v: 2 })
  const program = things({ a: { v: 1 }, c: { v: 1 } })
  const targeting = { targets: [urnOf('b')] }
  const ran = await engine.run(program, { ...byProgram, targeting })
  expect(ran.result.result).toBe('succeeded')
  expect(namesBy(ran, 'refresh')).toEqual(['b'])
  expect(kept(ran)).toEqual(['a', 'b', 'c'])
  expect(stateOf(ran, 'b').outputs).toEqual({ v: 2 })
  expect(stateOf(ran, 'c').dependencies).toEqual([urnOf('a')])
  const unknown = await engine.run(program, {
    ...byProgram,
    targeting: { targets: [urnOf('nowhere')] },
  })
  expect(errorsOf(unknown)).toEqual([`no resource named '${urnOf('nowhere')}' found`])
})

test('targets take no dependents along of what the program does not register, as in the original', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program: Program = async monitor => {
    const a = await thing(monitor, 'a', { v: 1 })
    const b = await thing(monitor, 'b', { v: 1 }, { dependencies: [a.urn] })
    await thing(monitor, 'c', { v: 1 }, { dependencies: [b.urn] })
  }
  await engine.run(program)
  const asked = { ...byProgram, targeting: { targets: [urnOf('a')], targetDependents: true } }
  expect(namesBy(await engine.run(things({}), asked), 'refresh')).toEqual(['a'])
  // Of what it registers those that depend on a target itself.
  expect(namesBy(await engine.run(program, asked), 'refresh')).toEqual(['a', 'b'])
})

test('TestRefreshV2Targeted, TestRefreshV2TargetedWithPropertyDependencies: what is no target and what depends on it stay whole', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program =
    (isLater: boolean): Program =>
    async monitor => {
      const a = await thing(monitor, 'a', { v: 1 })
      const of = new Map([['v', { urns: [a.urn] }]])
      const g = await group(monitor, 'g', { propertyDependencies: of })
      const type = 'pulumi:providers:test'
      const dependencies = isLater ? [a.urn] : []
      await monitor.register({ ...{ type, name: 'p', custom: true }, parent: g.urn, dependencies })
    }
  await engine.run(program(false))
  await withMore(engine, 'a', found => [{ ...found, id: 'a-0', delete: true }])
  cloud.objects.set('a-1', { v: 2 })
  const urn = 'urn:pulumi:dev::life::test:index:Group::g'
  const ran = await engine.run(program(true), { ...byProgram, targeting: { targets: [urn] } })
  expect(ran.result.result).toBe('succeeded')
  expect(namesBy(ran, 'refresh')).toEqual([])
  expect(kept(ran)).toEqual(['a', 'a', 'g'])
  expect(stateOf(ran, 'a').outputs).toEqual({ v: 1 })
  expect(stateOf(ran, 'p').dependencies).toEqual([urnOf('a')])
  const other = await engine.run(program(true), {
    ...byProgram,
    targeting: { targets: [providerUrn()] },
  })
  expect(other.result.result).toBe('succeeded')
  expect(stateOf(other, 'g')).toMatchObject({ propertyDependencies: { v: [urnOf('a')] } })
})

test('TestRefreshV2FailedRead: what could not be read stays, and nothing follows', async () => {
  const cloud = createCloud()
  const script = {
    ...cloud.script,
    read: (ask: never) => {
      if ((ask as { id: string }).id === 'a-1') throw new Error('read failure')
      return cloud.script.read?.(ask)
    },
  }
  const engine = await engines.of({ ...cloud, script })
  await engine.run(things({ a: { v: 1 }, b: { v: 1 } }))
  const program: Program = async monitor => {
    await thing(monitor, 'a', { v: 2 })
    await thing(monitor, 'b', { v: 2 })
  }
  for (const asked of [byProgram, { refresh: true, runProgram: true, continueOnError: true }]) {
    const ran = await engine.run(program, asked)
    expect(ran.result.result).toBe('failed')
    expect(errorsOf(ran)).toEqual(['read failure'])
    expect(kept(ran)).toEqual(['a', 'b'])
    expect(stateOf(ran, 'a')).toMatchObject({ id: 'a-1', inputs: { v: 1 } })
    expect(namesBy(ran, 'refresh')).toEqual(['a'])
  }
  const shown = await engine.run(program, { ...byProgram, dryRun: true })
  expect(errorsOf(shown)).toEqual(['Preview failed: read failure'])
})

test('TestRefreshDeletedResourceWithChild, TestRefreshV2ParentChildOrdering: children of what is gone stay valid', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program: Program = async monitor => {
    const a = await thing(monitor, 'a', { v: 1 })
    const type = 'pulumi:providers:test'
    await monitor.register({ type, name: 'p', custom: true, parent: a.urn })
  }
  await engine.run(program)
  await withMore(engine, 'a', found => [{ ...found, id: 'a-1', delete: true }])
  cloud.objects.delete('a-1')
  const ran = await engine.run(undefined, { command: 'refresh' })
  expect(ran.result.result).toBe('succeeded')
  expect(kept(ran)).toEqual([])
  // As in the original: not even below the stack.
  expect(stateOf(ran, 'p').parent).toBe(undefined)
  const other = await engines.of(cloud)
  await other.run(things({ parent: { v: 1 } }))
  await withMore(other, 'parent', found => [{ ...found, delete: true }])
  cloud.objects.delete('parent-1')
  const ordered = await other.run(async monitor => {
    const parent = await thing(monitor, 'parent', { v: 1 })
    await group(monitor, 'child', { parent: parent.urn })
  }, byProgram)
  expect(ordered.result.result).toBe('succeeded')
  // Its parent is not made, and so it is not either.
  expect(kept(ordered)).not.toContain('child')
})

test('TestRefreshV2DependencyNotInOriginalSnapshot, TestRefreshV2DeletedWithOrdering, TestRefreshV2PropertyDependencyOrdering: what needs something new is not made, or stays as it was', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(async monitor => {
    await group(monitor, 'comp')
    const type = 'pulumi:providers:test'
    const of = new Map([['p', { urns: ['urn:pulumi:dev::life::test:index:Group::comp'] }]])
    await monitor.register({ type, name: 'prov', custom: true, propertyDependencies: of })
  })
  const ran = await engine.run(async monitor => {
    const added = await thing(monitor, 'new', { v: 1 })
    await group(monitor, 'with', { deletedWith: added.urn })
    const comp = await group(monitor, 'comp', {
      dependencies: [added.urn],
      deletedWith: added.urn,
    })
    const of = new Map([['p', { urns: [comp.urn] }]])
    const type = 'pulumi:providers:test'
    await monitor.register({ type, name: 'prov', custom: true, propertyDependencies: of })
    await group(monitor, 'last', { deletedWith: comp.urn })
  }, byProgram)
  expect(ran.result.result).toBe('succeeded')
  expect(kept(ran)).toEqual(['comp', 'last'])
  expect(stateOf(ran, 'comp').dependencies ?? []).toEqual([])
  expect(stateOf(ran, 'prov')).toMatchObject({
    propertyDependencies: { p: ['urn:pulumi:dev::life::test:index:Group::comp'] },
  })
})

test('TestRefreshV2ExcludesChildWithExcludedParent: a child that the program does not register is no reason to fail', async () => {
  const cloud = createCloud()
  const script = {
    ...cloud.script,
    diff: (ask: never) => {
      if ((ask as { urn: string }).urn.endsWith('::parent')) throw new Error('no diff')
      return cloud.script.diff?.(ask)
    },
  }
  const engine = await engines.of({ ...cloud, script })
  await engine.run(async monitor => {
    const parent = await thing(monitor, 'parent', { v: 1 })
    await group(monitor, 'child', { parent: parent.urn })
  })
  cloud.objects.delete('parent-1')
  const ran = await engine.run(things({ parent: { v: 1 } }), byProgram)
  expect(ran.result.result).toBe('succeeded')
  expect(kept(ran)).toEqual(['child'])
  expect(stateOf(ran, 'child').parent).toBe(undefined)
})

test('what the program registers keeps which of its properties depend on nothing', async () => {
  const engine = await engines.of(createCloud())
  const propertyDependencies = new Map([['v', { urns: [] }]])
  const program: Program = async monitor => {
    await group(monitor, 'g', { object: { v: 1 }, propertyDependencies })
    await thing(monitor, 'a', { v: 1 }, { propertyDependencies })
  }
  const before = await engine.run(program)
  const read = await engine.run(program, byProgram)
  for (const ran of [before, read])
    for (const name of ['g', 'a'])
      expect(stateOf(ran, name)['propertyDependencies'], name).toEqual({ v: [] })
  const again = await engine.run(program, { command: 'refresh' })
  // A refresh without the program forgets them, as the original's does.
  for (const name of ['g', 'a'])
    expect(stateOf(again, name)).not.toHaveProperty('propertyDependencies')
})

test('what was read, and what was registered beside it, forgets what is no target or no more in the program', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program =
    (isWhole: boolean): Program =>
    async monitor => {
      const gone = isWhole ? (await thing(monitor, 'gone', { v: 1 })).urn : urnOf('gone')
      const a = await thing(monitor, 'a', { v: 1 })
      const of = new Map([
        ['v', { urns: [a.urn, gone] }],
        ['w', { urns: [] }],
      ])
      const more = { dependencies: [a.urn, gone], propertyDependencies: of, deletedWith: a.urn }
      const b = await thing(monitor, 'b', { v: 1 }, { ...more, parent: a.urn })
      await group(monitor, 'g', { dependencies: [a.urn, b.urn], propertyDependencies: of })
      await thing(monitor, 'c', { v: 1 }, { dependencies: [a.urn], propertyDependencies: of })
    }
  const before = await engine.run(program(true))
  const b = String(stateOf(before, 'b').urn)
  const targeting = { targets: [b] }
  const read = await engine.run(program(false), { ...byProgram, targeting })
  expect(read.result.result).toBe('succeeded')
  expect(namesBy(read, 'refresh')).toEqual(['b'])
  for (const field of ['parent', 'dependencies', 'propertyDependencies', 'deletedWith'])
    expect(stateOf(read, 'b'), field).not.toHaveProperty(field)
  expect(stateOf(read, 'g').dependencies).toEqual([b, urnOf('a')])
  // It took along what nobody reads or registers, which stands before it, and behind the other.
  expect(stateOf(read, 'g')['propertyDependencies']).toEqual({
    v: [urnOf('a'), urnOf('gone')],
    w: [],
  })
  // Nobody touched it: it stands behind what it names.
  expect(stateOf(read, 'c').dependencies).toEqual([urnOf('a')])
  const again = await engine.run(program(true))
  expect(again.result.result).toBe('succeeded')
  expect(stateOf(again, 'b')).toMatchObject({ deletedWith: urnOf('a'), parent: urnOf('a') })
})

test('a component that is no target takes along what it depends on and nothing has read', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program: Program = async monitor => {
    const a = await thing(monitor, 'a', { v: 1 })
    const b = await thing(monitor, 'b', { v: 1 })
    const c = await thing(monitor, 'c', { v: 1 }, { dependencies: [a.urn, b.urn] })
    const of = new Map([['x', { urns: [a.urn] }]])
    await group(monitor, 'g', { dependencies: [a.urn, c.urn], propertyDependencies: of })
    await thing(monitor, 'd', { v: 1 }, { dependencies: [a.urn, b.urn] })
  }
  await engine.run(program)
  const ran = await engine.run(program, {
    ...byProgram,
    targeting: { targets: [urnOf('d')] },
  })
  expect(ran.result.result).toBe('succeeded')
  expect(namesBy(ran, 'refresh')).toEqual(['d'])
  // Each once; of the others nothing is told.
  expect(namesBy(ran, 'same').filter(name => name !== 'life-dev')).toEqual(['a', 'b', 'c', 'g'])
  expect(stateOf(ran, 'g').dependencies).toEqual([urnOf('a'), urnOf('c')])
  expect(stateOf(ran, 'c').dependencies).toEqual([urnOf('a'), urnOf('b')])
  expect(stateOf(ran, 'd').dependencies).toEqual([urnOf('a'), urnOf('b')])
})
