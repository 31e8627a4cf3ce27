import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { createEngines, thing, things } from '../things.ts'
import { errorsOf, kept, namesBy, providerUrn, stateOf, stepsOf, urnOf } from './look.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestUpdateTarget: only targets are updated', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(things({ a: { v: 1 }, b: { v: 1 }, c: { v: 1 } }))
  const changed = things({ a: { v: 2 }, b: { v: 2 }, c: { v: 2 } })
  const targeting = { targets: [urnOf('b')] }
  const previewed = await engine.run(changed, { dryRun: true, targeting })
  expect(stepsOf(previewed)).toEqual(['same a', 'update b', 'same c'])
  const ran = await engine.run(changed, { targeting })
  expect(stepsOf(ran)).toEqual(['same a', 'update b', 'same c'])
  expect(ran.result.changes).toEqual({ same: 3, update: 1 })
  expect(cloud.log.filter(line => line.startsWith('update'))).toEqual(['update b-1'])
  expect(['a', 'b', 'c'].map(name => stateOf(ran, name).inputs)).toEqual([
    { v: 1 },
    { v: 2 },
    { v: 1 },
  ])
})

test('TestEnsureUntargetedSame: what is no target is neither checked nor compared', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(things({ a: { v: 1 }, b: { v: 1 } }))
  const asked: string[] = []
  const ran = await engine.run(things({ a: { v: 2 }, b: { v: 2 } }), {
    targeting: { targets: ['**::b'] },
    provider: inner => ({
      ...inner,
      check: ask => (asked.push(`check ${ask.name}`), inner.check(ask)),
      diff: ask => (asked.push(`diff ${ask.name}`), inner.diff(ask)),
    }),
  })
  expect(asked).toEqual(['check b', 'diff b'])
  expect(stateOf(ran, 'a')).toMatchObject({ inputs: { v: 1 }, outputs: { v: 1 } })
})

test('TestCreateDuringTargetedUpdate_CreateMentionedAsTarget: a new target is made', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(things({ a: {} }))
  const ran = await engine.run(things({ a: {}, b: {} }), { targeting: { targets: [urnOf('b')] } })
  expect(stepsOf(ran)).toEqual(['same a', 'create b'])
  expect(kept(ran)).toEqual(['a', 'b'])
})

test('TestCreateDuringTargetedUpdate_UntargetedCreateNotReferenced: what is new and no target is passed over, its outputs unknown', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(things({ a: { v: 1 } }))
  let reply: unknown
  const ran = await engine.run(
    async monitor => {
      await thing(monitor, 'a', { v: 2 })
      const { unknown, id, object, urn } = await thing(monitor, 'b', { v: 2 })
      reply = { unknown, id, object, urn }
    },
    { targeting: { targets: [urnOf('a')] } },
  )
  expect(stepsOf(ran)).toEqual(['update a', 'same b'])
  expect(kept(ran)).toEqual(['a'])
  expect(reply).toEqual({ unknown: true, id: '', object: {}, urn: urnOf('b') })
})

/** `b` is new and no target; the target `a` comes to need it in some way. */
async function needing(more: (urn: string) => object, inputs: Record<string, unknown> = { v: 2 }) {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(things({ a: { v: 1 } }))
  const program: Program = async monitor => {
    const b = await thing(monitor, 'b', {})
    await thing(monitor, 'a', inputs, more(b.urn))
  }
  const targeting = { targets: ['**::a'] }
  const previewed = await engine.run(program, { dryRun: true, targeting })
  const ran = await engine.run(program, { targeting })
  return { previewed, ran, log: cloud.log }
}

test.each([
  [
    'TestCreateDuringTargetedUpdate_UntargetedCreateReferencedByChangedTarget: a target that depends on it is refused',
    (urn: string) => ({ dependencies: [urn] }),
    { v: 2 },
  ],
  [
    'TestCreateDuringTargetedUpdate_UntargetedCreateReferencedByUnchangedTarget: also one that is as it was',
    (urn: string) => ({ dependencies: [urn] }),
    { v: 1 },
  ],
  [
    'TestCreateDuringTargetedUpdate_UntargetedCreateReferencedByTargetPropertyDependency: also by a property',
    (urn: string) => ({ propertyDependencies: new Map([['v', { urns: [urn] }]]) }),
    { v: 2 },
  ],
  [
    'TestCreateDuringTargetedUpdate_UntargetedCreateReferencedByTargetDeletedWith: also one that is deleted with it',
    (deletedWith: string) => ({ deletedWith }),
    { v: 2 },
  ],
  [
    'TestCreateDuringTargetedUpdate_UntargetedCreateReferencedByTargetParent: also its child',
    (parent: string) => ({ parent }),
    { v: 2 },
  ],
])('%s', async (_title, more, inputs) => {
  const { previewed, ran, log } = await needing(more, inputs)
  for (const { result } of [previewed, ran]) expect(result.result).toBe('failed')
  for (const run of [previewed, ran])
    expect(errorsOf(run)[0]).toMatch(
      /Resource '.*::a' depends on '.*::b' which was was not specified in --target list\./,
    )
  expect(kept(ran)).toEqual(['a'])
  expect(log).toEqual(['create a'])
})

test('a preview names each missing resource once and goes on', async () => {
  const engine = await engines.of(createCloud())
  const ran = await engine.run(
    async monitor => {
      const n = await thing(monitor, 'n', {})
      await thing(monitor, 'x', {}, { dependencies: [n.urn] })
      await thing(monitor, 'y', {}, { dependencies: [n.urn] })
    },
    { dryRun: true, targeting: { targets: ['**::x', '**::y'] } },
  )
  expect(ran.result.result).toBe('failed')
  expect(errorsOf(ran)).toHaveLength(1)
  expect(stepsOf(ran)).toEqual(['same n', 'create x', 'create y'])
})

test('TestCreateDuringTargetedUpdate_UntargetedCreateReferencedByUntargetedCreate: two that are both passed over are no error', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(things({ a: { v: 1 } }))
  const ran = await engine.run(
    async monitor => {
      await thing(monitor, 'a', { v: 2 })
      const b = await thing(monitor, 'b', {})
      await thing(monitor, 'c', {}, { dependencies: [b.urn] })
    },
    { targeting: { targets: [urnOf('a')] } },
  )
  expect(ran.result.result).toBe('succeeded')
  expect(kept(ran)).toEqual(['a'])
})

test('TestCreateDuringTargetedUpdate_UntargetedProviderReferencedByTarget: a provider is made without being a target', async () => {
  const engine = await engines.of(createCloud())
  const ran = await engine.run(
    async monitor => {
      const type = 'pulumi:providers:test'
      const p = await monitor.register({ type, name: 'p', custom: true, object: {} })
      await thing(monitor, 'a', {}, { provider: `${p.urn}::${p.id}` })
    },
    { targeting: { targets: [urnOf('a')] } },
  )
  expect(stepsOf(ran)).toEqual(['create p', 'create a'])
})

test('TestTargetedCreateDefaultProvider: so is a default provider, and the stack', async () => {
  const engine = await engines.of(createCloud())
  const ran = await engine.run(things({ a: {}, b: {} }), { targeting: { targets: [urnOf('a')] } })
  expect(ran.result.result).toBe('succeeded')
  expect((ran.state.resources ?? []).map(({ urn }) => urn)).toContain(providerUrn())
  expect(ran.state.resources).toHaveLength(3)
})

test('TestDependencyUnreleatedToTargetUpdatedSucceeds: edges of what is no target may change', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(things({ target: { v: 1 }, other: {}, dep: {} }))
  const ran = await engine.run(
    async monitor => {
      await thing(monitor, 'target', { v: 2 })
      const fresh = await thing(monitor, 'new', {})
      await thing(monitor, 'other', {}, { dependencies: [fresh.urn] })
      await thing(monitor, 'dep', {})
    },
    { targeting: { targets: [urnOf('target')] } },
  )
  expect(ran.result.result).toBe('succeeded')
  expect(namesBy(ran, 'update')).toEqual(['target'])
  expect(stateOf(ran, 'other').dependencies ?? []).toEqual([])
})

const parented =
  (v: number): Program =>
  async monitor => {
    const parent = await monitor.register({ type: 'test:index:Group', name: 'parent', object: {} })
    await thing(monitor, 'child', { v }, { parent: parent.urn })
  }

test('TestTargetUntargetedParent: a parent that is there may stay, a new one must be made', async () => {
  const engine = await engines.of(createCloud())
  const refused = await engine.run(parented(1), { targeting: { targets: ['**child**'] } })
  expect(errorsOf(refused)[0]).toContain('depends on')
  expect(kept(refused)).toEqual([])
  await engine.run(parented(1))
  const ran = await engine.run(parented(2), { targeting: { targets: ['**child**'] } })
  expect(stepsOf(ran)).toEqual(['same parent', 'update child'])
  expect(stateOf(ran, 'child').parent).toBe(stateOf(ran, 'parent').urn)
})

test('TestTargetUntargetedParentWithUpdatedDependency: the old parent keeps its old dependencies', async () => {
  const engine = await engines.of(createCloud())
  const program =
    (v: number, after: 'x' | 'y'): Program =>
    async monitor => {
      const x = await thing(monitor, 'x', {})
      const y = await thing(monitor, 'y', {})
      const parent = await monitor.register({
        type: 'test:index:Group',
        name: 'parent',
        object: {},
        dependencies: [after === 'x' ? x.urn : y.urn],
      })
      await thing(monitor, 'child', { v }, { parent: parent.urn })
    }
  await engine.run(program(1, 'x'))
  const ran = await engine.run(program(2, 'y'), { targeting: { targets: ['**::child'] } })
  expect(ran.result.result).toBe('succeeded')
  expect(stateOf(ran, 'parent').dependencies).toEqual([urnOf('x')])
  expect(namesBy(ran, 'update')).toEqual(['child'])
})

test('targets that name nothing fail after the others were done; a pattern may match nothing', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(things({ a: { v: 1 } }))
  const targets = [urnOf('a'), urnOf('none'), urnOf('none', ['x:y:Z']), '**::nothing']
  const ran = await engine.run(things({ a: { v: 2 } }), { targeting: { targets } })
  expect(ran.result.result).toBe('failed')
  expect(errorsOf(ran)).toEqual([
    `Target '${targets[1]}' could not be found in the stack. Did you forget to escape $ in your shell?`,
    `Target '${targets[2]}' could not be found in the stack.`,
  ])
  expect(cloud.log.at(-1)).toBe('update a-1')
})
