import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Asked, Program } from '../engine.ts'
import { createEngines, thing, things } from '../things.ts'
import { errorsOf, kept, namesBy, provider, stateOf, stepsOf, urnOf } from './look.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** A chain by parent, dependency, property and deletedWith, below one end of it. */
const chain: Program = async monitor => {
  const a = await thing(monitor, 'a', {})
  const b = await thing(monitor, 'b', {}, { dependencies: [a.urn] })
  const c = await thing(monitor, 'c', {}, { deletedWith: b.urn })
  const byProperty = { propertyDependencies: new Map([['v', { urns: [c.urn] }]]) }
  const d = await thing(monitor, 'd', { v: 1 }, byProperty)
  await thing(monitor, 'e', {}, { parent: d.urn })
  await thing(monitor, 'target', { v: 1 })
}

test('TestUntargetedDependencyChainsArePreserved: what stays keeps all that it stands on, registered or not', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(chain)
  const ran = await engine.run(
    async monitor => {
      await thing(monitor, 'target', { v: 2 })
      const e = { type: 'test:index:Thing', name: 'd' }
      await thing(monitor, e.name, { v: 2 })
    },
    { targeting: { targets: [urnOf('target')] } },
  )
  expect(ran.result.result).toBe('succeeded')
  expect(kept(ran)).toEqual(['a', 'b', 'c', 'd', 'e', 'target'])
  // Depth first: what is stood on comes before who stands on it; the rest at the end.
  expect(stepsOf(ran)).toEqual(['update target', 'same a', 'same b', 'same c', 'same d', 'same e'])
  const order = (ran.state.resources ?? []).map(({ urn }) => urn)
  const places = [urnOf('a'), urnOf('b'), urnOf('c'), urnOf('d')].map(urn =>
    order.findIndex(one => one === urn),
  )
  expect(places).toEqual([...places].sort((x, y) => x - y))
})

test('an aliased resource that is no target keeps its old URN, and children find it', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(things({ old: { v: 1 }, target: { v: 1 } }))
  let urn = ''
  const ran = await engine.run(
    async monitor => {
      const aliases = [{ alias: { $case: 'spec', value: { ...spec, name: 'old' } } }]
      const renamed = await thing(monitor, 'new', { v: 2 }, { aliases })
      urn = renamed.urn
      await thing(monitor, 'target', { v: 2 }, { dependencies: [renamed.urn] })
    },
    { targeting: { targets: [urnOf('target')] } },
  )
  expect(ran.result.result).toBe('succeeded')
  expect(urn).toBe(urnOf('old'))
  expect(kept(ran)).toEqual(['old', 'target'])
  expect(stateOf(ran, 'target').dependencies).toEqual([urnOf('old')])
})
const spec = { name: '', type: '', stack: '', project: '', parent: undefined }

test('TestUntargetedSameStepsAcceptDeletedResources: old copies on the way are passed by', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program =
    (value: number): Program =>
    async monitor => {
      const a = await thing(monitor, 'a', { replace: value })
      await thing(monitor, 'b', { v: 1 }, { dependencies: [a.urn] })
      await thing(monitor, 'target', { v: value })
    }
  await engine.run(program(1))
  cloud.faults.add('delete a-1')
  const failed = await engine.run(program(2))
  expect(failed.result.result).toBe('failed')
  const ran = await engine.run(program(3), { targeting: { targets: [urnOf('target')] } })
  expect(ran.result.result).toBe('succeeded')
  const copies = (ran.state.resources ?? []).filter(({ urn }) => urn === urnOf('a'))
  expect(copies.map(({ id, delete: isOld = false }) => [id, isOld])).toContainEqual(['a-2', false])
  expect(copies.map(({ id, delete: isOld = false }) => [id, isOld])).toContainEqual(['a-1', true])
  expect(namesBy(ran, 'delete-replaced')).toEqual([])
})

const versions =
  (of: Record<string, string>): Program =>
  async monitor => {
    for (const [name, version] of Object.entries(of)) await thing(monitor, name, {}, { version })
  }

test('TestTargetChangeProviderVersion: what is no target cannot move to another provider', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(versions({ target: '1.0.0', other: '1.0.0' }))
  const ran = await engine.run(versions({ target: '2.0.0', other: '2.0.0' }), {
    targeting: { targets: [urnOf('target')] },
  })
  expect(ran.result.result).toBe('failed')
  expect(errorsOf(ran).join()).toContain(
    `for resource ${urnOf('other')} has not been registered yet, this is due to a change of providers`,
  )
  expect(stateOf(ran, 'other').provider).toContain('default_1_0_0')
})

test('TestTargetChangeAndSameProviderVersion: though another resource registers the old one later', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(versions({ target: '1.0.0', one: '1.0.0', two: '1.0.0' }))
  const ran = await engine.run(versions({ target: '2.0.0', one: '2.0.0', two: '1.0.0' }), {
    targeting: { targets: [urnOf('target')] },
  })
  expect(ran.result.result).toBe('failed')
  expect(errorsOf(ran).join()).toContain(`for resource ${urnOf('one')} has not been registered yet`)
  expect(kept(ran)).toEqual(['one', 'target', 'two'])
})

test('TestUntargetedProviderChange: from an explicit provider neither', async () => {
  const engine = await engines.of(createCloud())
  const program =
    (isExplicit: boolean): Program =>
    async monitor => {
      await thing(monitor, 'target', { v: isExplicit ? 1 : 2 })
      const own = isExplicit ? { provider: await provider(monitor, 'own') } : {}
      await thing(monitor, 'other', {}, own)
    }
  await engine.run(program(true))
  const ran = await engine.run(program(false), { targeting: { targets: [urnOf('target')] } })
  expect(errorsOf(ran).join()).toContain(`for resource ${urnOf('other')} has not been registered`)
  expect(stateOf(ran, 'other').provider).toContain('::own::')
})

test('TestUntargetedAliasedProviderChanges: but a provider that is renamed by an alias is the same', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(async monitor => {
    await monitor.register({ type: 'test:index:Group', name: 'parent', object: {} })
    await thing(monitor, 'res', {}, { provider: await provider(monitor, 'own') })
  })
  const ran = await engine.run(
    async monitor => {
      const { urn } = await monitor.register({
        type: 'test:index:Group',
        name: 'parent',
        object: {},
      })
      const aliasURNs = [`urn:pulumi:dev::life::pulumi:providers:test::own`]
      const own = await provider(monitor, 'own', { parent: urn, aliasURNs })
      await thing(monitor, 'res', {}, { provider: own })
    },
    { targeting: { targets: ['**non-existing**'] } },
  )
  expect(errorsOf(ran)).toEqual([])
  expect(stateOf(ran, 'res').provider).toContain('test:index:Group$pulumi:providers:test::own::')
})

test('TestUntargetedRefreshedProviderUpdate: the old provider of what is not registered stays, refreshed or not', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(versions({ a: '1.0.0', b: '1.0.0' }))
  const ran = await engine.run(versions({ a: '2.0.0' }), {
    refresh: true,
    targeting: { targets: ['**::a'] },
  })
  expect(errorsOf(ran)).toEqual([])
  expect(kept(ran)).toEqual(['a', 'b'])
  expect(stateOf(ran, 'b').provider).toContain('default_1_0_0')
  expect(stateOf(ran, 'a').provider).toContain('default_2_0_0')
})

test('TestTargetedOperationSkipsUnrelatedProviderConfiguration: providers of what is not touched are not loaded', async () => {
  const engine = await engines.of(createCloud())
  const other = { type: 'other:index:Thing', name: 'a', custom: true, object: {} }
  await engine.run(async monitor => {
    await monitor.register(other)
    await thing(monitor, 'b', {})
  })
  const targeting = { targets: [urnOf('b')] }
  const configured: string[] = []
  const watched = {
    targeting,
    provider: (inner: Parameters<NonNullable<Asked['provider']>>[0]) => ({
      ...inner,
      configure: (ask: Parameters<typeof inner.configure>[0]) => {
        configured.push(ask.type)
        return inner.configure(ask)
      },
    }),
  }
  const ran = await engine.run(things({ b: { v: 2 } }), watched)
  expect(kept(ran)).toEqual(['a', 'b'])
  const gone = await engine.run(undefined, { ...watched, command: 'destroy' })
  expect(kept(gone)).toEqual(['a'])
  expect(new Set(configured)).toEqual(new Set(['pulumi:providers:test']))
})

/** The marker depended on both others, and comes first now. */
const markerFirst: Program = async monitor => {
  await thing(monitor, 'marker', {})
  await thing(monitor, 'one', { v: 2 })
  await thing(monitor, 'two', { v: 2 })
}

const markerLast: Program = async monitor => {
  const one = await thing(monitor, 'one', { v: 1 })
  const two = await thing(monitor, 'two', { v: 1 })
  await thing(monitor, 'marker', {}, { dependencies: [one.urn, two.urn] })
}

test('TestTargetedPreviewNoDuplicateURN_Issue24303: what was taken along may be registered later', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(markerLast)
  const ran = await engine.run(markerFirst, {
    dryRun: true,
    targeting: { targets: ['**::nothing'] },
  })
  expect(errorsOf(ran)).toEqual([])
  expect(ran.result.result).toBe('succeeded')
})

test('TestTargetedUpdateAppliesNewInputs_Issue24303: and is then brought to its goal', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(markerLast)
  const ran = await engine.run(markerFirst, { targeting: { targets: ['**::one', '**::two'] } })
  expect(errorsOf(ran)).toEqual([])
  expect(namesBy(ran, 'update')).toEqual(['one', 'two'])
  expect(['one', 'two'].map(name => stateOf(ran, name).inputs)).toEqual([{ v: 2 }, { v: 2 }])
})
