import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import {
  createEngines,
  deleteFirst,
  registerThing,
  createThings,
  withDependency,
} from '../register-thing.ts'
import {
  errorMessagesOf,
  listStateNames,
  listNamesByOp,
  resourceStateOf,
  allStepsOf,
  targetUrnOf,
} from './run-summary.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Returns a program in which b is replaced together with a, and c is updated with b. */
const createLinked =
  (v = 1, more: object = {}): Program =>
  async monitor => {
    const a = await registerThing(monitor, 'a', { v }, more)
    const b = await registerThing(monitor, 'b', { replace: a.id, v }, withDependency(a.urn))
    await registerThing(monitor, 'c', { v: b.id }, { dependencies: [b.urn] })
    await registerThing(monitor, 'free', { v })
  }

test('TestReplaceSpecificTargets: a named resource is replaced without a change, with the steps of its dependents', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createLinked())
  const checked: unknown[] = []
  const testRun = await engine.run(createLinked(), {
    targeting: { replaces: [targetUrnOf('a')] },
    provider: inner => ({
      ...inner,
      check: providerRequest => (
        checked.push([providerRequest.name, providerRequest.oldInputs === undefined]),
        inner.check(providerRequest)
      ),
    }),
  })
  expect(allStepsOf(testRun)).toEqual([
    'create-replacement a',
    'replace a',
    'create-replacement b',
    'replace b',
    'update c',
    'same free',
    'delete-replaced b',
    'delete-replaced a',
  ])
  // A resource that is replaced on request is checked once, as a new one. One that is replaced
  // because of a difference is checked twice.
  expect(checked.filter(check => Array.isArray(check) && check[0] === 'a')).toEqual([['a', true]])
  expect(checked.filter(check => Array.isArray(check) && check[0] === 'b')).toHaveLength(2)
  expect([...cloud.objects.keys()].sort()).toEqual(['a-2', 'b-2', 'c-1', 'free-1'])
})

test('a resource to be replaced must exist before the program runs', async () => {
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(createThings({ a: {} }), {
    targeting: { replaces: [targetUrnOf('a')] },
  })
  expect(errorMessagesOf(testRun)[0]).toContain(
    `Target '${targetUrnOf('a')}' could not be found in the stack.`,
  )
  expect(listStateNames(testRun)).toEqual([])
})

test.each([
  ['neither targets nor replacements', {}, ['same a', 'same b', 'same c']],
  ['a target that is not replaced', { targets: ['**::a'] }, ['same a', 'same b', 'same c']],
  [
    'a target that is replaced',
    { targets: ['**::a'], replaces: ['**::a'] },
    ['create-replacement a', 'replace a', 'same b', 'same c', 'delete-replaced a'],
  ],
  [
    'a replacement outside of the targets',
    { targets: ['**::b'], replaces: ['**::a'] },
    ['same a', 'same b', 'same c'],
  ],
  [
    'a target besides the replacement',
    { targets: ['**::a', '**::b'], replaces: ['**::b'] },
    ['same a', 'create-replacement b', 'replace b', 'same c', 'delete-replaced b'],
  ],
])(
  'TestReplaceSpecificTargetsPlan: preview and update decide the same steps for %s',
  async (_what, targeting, expected) => {
    const engine = await engines.open(createCloud())
    const program = createThings({ a: { v: 1 }, b: { v: 1 }, c: { v: 1 } })
    await engine.run(program)
    const previewed = await engine.run(program, { dryRun: true, targeting })
    expect(allStepsOf(previewed)).toEqual(expected)
    expect(allStepsOf(await engine.run(program, { targeting }))).toEqual(expected)
  },
)

test('a target that is replaced create-first leaves dependents outside of the targets unchanged', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createLinked())
  const targeting = { targets: [targetUrnOf('a')], replaces: [targetUrnOf('a')] }
  const testRun = await engine.run(createLinked(), { targeting })
  expect(listNamesByOp(testRun, 'same')).toEqual(['b', 'c', 'free'])
  expect(resourceStateOf(testRun, 'b').inputs).toEqual({ replace: 'a-1', v: 1 })
})

test('a target that is deleted first replaces its dependents, with old inputs if they are no targets, and leaves indirect dependents unchanged', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createLinked())
  const targeting = {
    targets: [targetUrnOf('a')],
    replaces: [targetUrnOf('a')],
    targetDependents: true,
  }
  const testRun = await engine.run(createLinked(2, deleteFirst), { targeting })
  expect(testRun.result.result).toBe('succeeded')
  expect(allStepsOf(testRun)).toEqual([
    'delete-replaced b',
    'delete-replaced a',
    'replace a',
    'create-replacement a',
    'replace b',
    'create-replacement b',
    'same c',
    'same free',
  ])
  expect(resourceStateOf(testRun, 'c').inputs).toEqual({ v: 'b-1' })
  const alone = { targets: [targetUrnOf('a')], replaces: [targetUrnOf('a')] }
  const nextRun = await engine.run(createLinked(3, deleteFirst), { targeting: alone })
  expect(resourceStateOf(nextRun, 'b').inputs).toEqual({ replace: 'a-2', v: 2 })
  expect(resourceStateOf(nextRun, 'a').inputs).toEqual({ v: 3 })
})

test('TestTargetDependents: with --target-dependents, a resource that depends on a target by parent or dependency becomes a target', async () => {
  const engine = await engines.open(createCloud())
  const program =
    (v: number): Program =>
    async monitor => {
      const a = await registerThing(monitor, 'a', { v })
      const b = await registerThing(monitor, 'b', { v }, { dependencies: [a.urn] })
      await registerThing(monitor, 'c', { v }, { parent: b.urn })
      await registerThing(monitor, 'free', { v })
    }
  await engine.run(program(1))
  const targeting = { targets: [targetUrnOf('a')], targetDependents: true }
  const testRun = await engine.run(program(2), { targeting })
  expect(listNamesByOp(testRun, 'update')).toEqual(['a', 'b', 'c'])
  const secondRun = await engine.run(program(2), {
    targeting: { ...targeting, replaces: [targetUrnOf('a')] },
  })
  expect(listNamesByOp(secondRun, 'same')).toEqual(['b', 'c', 'free'])
})

test('TestTargetDependentsExplicitProvider, TestTargetDependentsSiblingResources: the resources of a provider become targets only if the provider itself is one', async () => {
  const engine = await engines.open(createCloud())
  const program =
    (v: number): Program =>
    async monitor => {
      const type = 'pulumi:providers:test'
      const p = await monitor.register({ type, name: 'p', custom: true, object: {} })
      const providerOption = { provider: `${p.urn}::${p.id}` }
      await registerThing(monitor, 'a', { v }, providerOption)
      await registerThing(monitor, 'sibling', { v }, providerOption)
      await registerThing(monitor, 'free', { v })
    }
  await engine.run(program(1))
  const byResource = { targets: [targetUrnOf('a')], targetDependents: true }
  const one = await engine.run(program(2), { targeting: byResource })
  expect(listNamesByOp(one, 'update')).toEqual(['a'])
  const byProvider = { targets: ['**pulumi:providers:test::p'], targetDependents: true }
  const testRun = await engine.run(program(3), { targeting: byProvider })
  expect(listNamesByOp(testRun, 'update')).toEqual(['a', 'sibling'])
})
