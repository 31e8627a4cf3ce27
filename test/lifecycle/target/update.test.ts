import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'
import {
  errorMessagesOf,
  listStateNames,
  listNamesByOp,
  defaultProviderUrnOf,
  resourceStateOf,
  allStepsOf,
  targetUrnOf,
} from './run-summary.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestUpdateTarget: only targets are updated', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 }, b: { v: 1 }, c: { v: 1 } }))
  const changed = createThings({ a: { v: 2 }, b: { v: 2 }, c: { v: 2 } })
  const targeting = { targets: [targetUrnOf('b')] }
  const previewed = await engine.run(changed, { dryRun: true, targeting })
  expect(allStepsOf(previewed)).toEqual(['same a', 'update b', 'same c'])
  const testRun = await engine.run(changed, { targeting })
  expect(allStepsOf(testRun)).toEqual(['same a', 'update b', 'same c'])
  expect(testRun.result.changes).toEqual({ same: 3, update: 1 })
  expect(cloud.mutatingCalls.filter(line => line.startsWith('update'))).toEqual(['update b-1'])
  expect(['a', 'b', 'c'].map(name => resourceStateOf(testRun, name).inputs)).toEqual([
    { v: 1 },
    { v: 2 },
    { v: 1 },
  ])
})

test('TestEnsureUntargetedSame: a resource outside of the targets is neither checked nor compared', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
  const calls: string[] = []
  const testRun = await engine.run(createThings({ a: { v: 2 }, b: { v: 2 } }), {
    targeting: { targets: ['**::b'] },
    provider: inner => ({
      ...inner,
      check: request => (calls.push(`check ${request.name}`), inner.check(request)),
      diff: request => (calls.push(`diff ${request.name}`), inner.diff(request)),
    }),
  })
  expect(calls).toEqual(['check b', 'diff b'])
  expect(resourceStateOf(testRun, 'a')).toMatchObject({ inputs: { v: 1 }, outputs: { v: 1 } })
})

test('TestCreateDuringTargetedUpdate_CreateMentionedAsTarget: a new target is created', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ a: {} }))
  const testRun = await engine.run(createThings({ a: {}, b: {} }), {
    targeting: { targets: [targetUrnOf('b')] },
  })
  expect(allStepsOf(testRun)).toEqual(['same a', 'create b'])
  expect(listStateNames(testRun)).toEqual(['a', 'b'])
})

test('TestCreateDuringTargetedUpdate_UntargetedCreateNotReferenced: a new resource outside of the targets is skipped, with unknown outputs', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ a: { v: 1 } }))
  let reply: unknown
  const testRun = await engine.run(
    async monitor => {
      await registerThing(monitor, 'a', { v: 2 })
      const { unknown, id, object, urn } = await registerThing(monitor, 'b', { v: 2 })
      reply = { unknown, id, object, urn }
    },
    { targeting: { targets: [targetUrnOf('a')] } },
  )
  expect(allStepsOf(testRun)).toEqual(['update a', 'same b'])
  expect(listStateNames(testRun)).toEqual(['a'])
  expect(reply).toEqual({ unknown: true, id: '', object: {}, urn: targetUrnOf('b') })
})

/**
 * Previews and runs a program with a new `b` outside of the targets. `createOptions` returns the
 * options with which the target `a` references `b`.
 */
async function runWithSkippedReference(
  createOptions: (urn: string) => object,
  inputs: Record<string, unknown> = { v: 2 },
) {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  const program: Program = async monitor => {
    const b = await registerThing(monitor, 'b', {})
    await registerThing(monitor, 'a', inputs, createOptions(b.urn))
  }
  const targeting = { targets: ['**::a'] }
  const previewed = await engine.run(program, { dryRun: true, targeting })
  const testRun = await engine.run(program, { targeting })
  return { previewed, testRun, log: cloud.mutatingCalls }
}

test.each([
  [
    'TestCreateDuringTargetedUpdate_UntargetedCreateReferencedByChangedTarget: a target that depends on a skipped create is refused',
    (urn: string) => ({ dependencies: [urn] }),
    { v: 2 },
  ],
  [
    'TestCreateDuringTargetedUpdate_UntargetedCreateReferencedByUnchangedTarget: an unchanged target that depends on a skipped create is refused',
    (urn: string) => ({ dependencies: [urn] }),
    { v: 1 },
  ],
  [
    'TestCreateDuringTargetedUpdate_UntargetedCreateReferencedByTargetPropertyDependency: a target with a property dependency on a skipped create is refused',
    (urn: string) => ({ propertyDependencies: new Map([['v', { urns: [urn] }]]) }),
    { v: 2 },
  ],
  [
    'TestCreateDuringTargetedUpdate_UntargetedCreateReferencedByTargetDeletedWith: a target whose deletedWith is a skipped create is refused',
    (deletedWith: string) => ({ deletedWith }),
    { v: 2 },
  ],
  [
    'TestCreateDuringTargetedUpdate_UntargetedCreateReferencedByTargetParent: a target that is the child of a skipped create is refused',
    (parent: string) => ({ parent }),
    { v: 2 },
  ],
])('%s', async (_title, more, inputs) => {
  const { previewed, testRun, log } = await runWithSkippedReference(more, inputs)
  for (const { result } of [previewed, testRun]) expect(result.result).toBe('failed')
  for (const run of [previewed, testRun])
    expect(errorMessagesOf(run)[0]).toMatch(
      /Resource '.*::a' depends on '.*::b' which was was not specified in --target list\./,
    )
  expect(listStateNames(testRun)).toEqual(['a'])
  expect(log).toEqual(['create a'])
})

test('a preview names each missing resource once and continues', async () => {
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(
    async monitor => {
      const n = await registerThing(monitor, 'n', {})
      await registerThing(monitor, 'x', {}, { dependencies: [n.urn] })
      await registerThing(monitor, 'y', {}, { dependencies: [n.urn] })
    },
    { dryRun: true, targeting: { targets: ['**::x', '**::y'] } },
  )
  expect(testRun.result.result).toBe('failed')
  // As in Pulumi, the last message reports the failure of the preview.
  const [named, ...rest] = errorMessagesOf(testRun)
  expect(named).toContain("depends on '")
  expect(rest).toEqual([expect.stringContaining('preview failed')])
  expect(allStepsOf(testRun)).toEqual(['same n', 'create x', 'create y'])
})

test('TestCreateDuringTargetedUpdate_UntargetedCreateReferencedByUntargetedCreate: a reference between two skipped creates is not an error', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ a: { v: 1 } }))
  const testRun = await engine.run(
    async monitor => {
      await registerThing(monitor, 'a', { v: 2 })
      const b = await registerThing(monitor, 'b', {})
      await registerThing(monitor, 'c', {}, { dependencies: [b.urn] })
    },
    { targeting: { targets: [targetUrnOf('a')] } },
  )
  expect(testRun.result.result).toBe('succeeded')
  expect(listStateNames(testRun)).toEqual(['a'])
})

test('TestCreateDuringTargetedUpdate_UntargetedProviderReferencedByTarget: a provider is created without being a target', async () => {
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(
    async monitor => {
      const type = 'pulumi:providers:test'
      const p = await monitor.register({ type, name: 'p', custom: true, object: {} })
      await registerThing(monitor, 'a', {}, { provider: `${p.urn}::${p.id}` })
    },
    { targeting: { targets: [targetUrnOf('a')] } },
  )
  expect(allStepsOf(testRun)).toEqual(['create p', 'create a'])
})

test('TestTargetedCreateDefaultProvider: a default provider and the stack are created without being targets', async () => {
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(createThings({ a: {}, b: {} }), {
    targeting: { targets: [targetUrnOf('a')] },
  })
  expect(testRun.result.result).toBe('succeeded')
  expect((testRun.state.resources ?? []).map(({ urn }) => urn)).toContain(defaultProviderUrnOf())
  expect(testRun.state.resources).toHaveLength(3)
})

test('TestDependencyUnreleatedToTargetUpdatedSucceeds: the program may change dependencies of resources outside of the targets, and the state keeps the old ones', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ target: { v: 1 }, other: {}, dep: {} }))
  const testRun = await engine.run(
    async monitor => {
      await registerThing(monitor, 'target', { v: 2 })
      const fresh = await registerThing(monitor, 'new', {})
      await registerThing(monitor, 'other', {}, { dependencies: [fresh.urn] })
      await registerThing(monitor, 'dep', {})
    },
    { targeting: { targets: [targetUrnOf('target')] } },
  )
  expect(testRun.result.result).toBe('succeeded')
  expect(listNamesByOp(testRun, 'update')).toEqual(['target'])
  expect(resourceStateOf(testRun, 'other').dependencies ?? []).toEqual([])
})

const createParented =
  (v: number): Program =>
  async monitor => {
    const parent = await monitor.register({ type: 'test:index:Group', name: 'parent', object: {} })
    await registerThing(monitor, 'child', { v }, { parent: parent.urn })
  }

test('TestTargetUntargetedParent: an existing parent is kept, and a new one must be a target', async () => {
  const engine = await engines.open(createCloud())
  const refused = await engine.run(createParented(1), { targeting: { targets: ['**child**'] } })
  expect(errorMessagesOf(refused)[0]).toContain('depends on')
  expect(listStateNames(refused)).toEqual([])
  await engine.run(createParented(1))
  const testRun = await engine.run(createParented(2), { targeting: { targets: ['**child**'] } })
  expect(allStepsOf(testRun)).toEqual(['same parent', 'update child'])
  expect(resourceStateOf(testRun, 'child').parent).toBe(resourceStateOf(testRun, 'parent').urn)
})

test('TestTargetUntargetedParentWithUpdatedDependency: a parent outside of the targets keeps its old dependencies', async () => {
  const engine = await engines.open(createCloud())
  const program =
    (v: number, after: 'x' | 'y'): Program =>
    async monitor => {
      const x = await registerThing(monitor, 'x', {})
      const y = await registerThing(monitor, 'y', {})
      const parent = await monitor.register({
        type: 'test:index:Group',
        name: 'parent',
        object: {},
        dependencies: [after === 'x' ? x.urn : y.urn],
      })
      await registerThing(monitor, 'child', { v }, { parent: parent.urn })
    }
  await engine.run(program(1, 'x'))
  const testRun = await engine.run(program(2, 'y'), { targeting: { targets: ['**::child'] } })
  expect(testRun.result.result).toBe('succeeded')
  expect(resourceStateOf(testRun, 'parent').dependencies).toEqual([targetUrnOf('x')])
  expect(listNamesByOp(testRun, 'update')).toEqual(['child'])
})

test('a target URN that matches nothing fails the update after the other targets were updated, and a pattern may match nothing', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 } }))
  const targets = [
    targetUrnOf('a'),
    targetUrnOf('none'),
    targetUrnOf('none', ['x:y:Z']),
    '**::nothing',
  ]
  const testRun = await engine.run(createThings({ a: { v: 2 } }), { targeting: { targets } })
  expect(testRun.result.result).toBe('failed')
  expect(errorMessagesOf(testRun)).toEqual([
    `Target '${targets[1]}' could not be found in the stack. Did you forget to escape $ in your shell?`,
    `Target '${targets[2]}' could not be found in the stack.`,
  ])
  expect(cloud.mutatingCalls.at(-1)).toBe('update a-1')
})
