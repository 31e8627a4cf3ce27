import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { createEngines, registerThing } from '../register-thing.ts'
import {
  errorMessagesOf,
  listStateNames,
  listNamesByOp,
  registerProvider,
  defaultProviderUrnOf,
  allStepsOf,
  targetUrnOf,
} from './run-summary.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** b and c depend on a, d depends on b and c, e is a child of b, f is independent. */
const graphProgram: Program = async monitor => {
  const a = await registerThing(monitor, 'a', {})
  const b = await registerThing(monitor, 'b', {}, { dependencies: [a.urn] })
  const c = await registerThing(monitor, 'c', {}, { dependencies: [a.urn] })
  await registerThing(monitor, 'd', {}, { dependencies: [b.urn, c.urn] })
  await registerThing(monitor, 'e', {}, { parent: b.urn })
  await registerThing(monitor, 'f', {})
}

/** For each resource, the names of itself and of all its direct and indirect dependents. */
const deletedNames: Readonly<Record<string, string>> = {
  a: 'abcde',
  b: 'bde',
  c: 'cd',
  d: 'd',
  e: 'e',
  f: 'f',
}
const e = targetUrnOf('e', ['test:index:Thing'])
const toUrn = (name: string): string => (name === 'e' ? e : targetUrnOf(name))

/** All subsets of one or two names. */
const subsets = Object.keys(deletedNames).flatMap((one, index) => [
  [one],
  ...Object.keys(deletedNames)
    .slice(index + 1)
    .map(other => [one, other]),
])

test('TestDestroyTarget, TestDestroyTargetWithChildren: targets are deleted with all dependents on request, and are refused otherwise if they have any', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(graphProgram)
  for (const subset of subsets) {
    const expected = [
      ...new Set(subset.flatMap(name => (deletedNames[name] ?? '').split(''))),
    ].sort()
    const targets = subset.map(toUrn)
    const destroy = { command: 'destroy', dryRun: true } as const
    const options = { ...destroy, targeting: { targets, targetDependents: true } }
    const testRun = await engine.run(undefined, options)
    expect(listNamesByOp(testRun, 'delete'), subset.join()).toEqual(expected)
    expect(testRun.result.result).toBe('succeeded')
    const alone = await engine.run(undefined, { ...destroy, targeting: { targets } })
    const remainingNames = expected.filter(name => !subset.includes(name))
    expect(alone.result.result, subset.join()).toBe(
      remainingNames.length === 0 ? 'succeeded' : 'failed',
    )
    expect(errorMessagesOf(alone)).toHaveLength(remainingNames.length)
  }
})

test('a destroy with targets keeps the other resources unchanged', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(graphProgram)
  const targeting = { targets: [toUrn('b')], targetDependents: true }
  const testRun = await engine.run(undefined, { command: 'destroy', targeting })
  expect(allStepsOf(testRun).slice(0, 3)).toEqual(['same a', 'same c', 'same f'])
  expect(testRun.result.changes).toEqual({ same: 4, delete: 3 })
  expect(listStateNames(testRun)).toEqual(['a', 'c', 'f'])
  expect([...cloud.objects.keys()].sort()).toEqual(['a-1', 'c-1', 'f-1'])
})

test('TestTargetDestroyDependencyErrors, TestTargetDestroyChildErrors: without --target-dependents, a target that has dependents or children is refused', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(graphProgram)
  const testRun = await engine.run(undefined, {
    command: 'destroy',
    targeting: { targets: [toUrn('b')] },
  })
  expect(testRun.result.result).toBe('failed')
  expect(allStepsOf(testRun)).toEqual([])
  expect(errorMessagesOf(testRun)).toEqual(
    ['d', 'e'].map(
      name =>
        `Resource '${toUrn(name)}' will be destroyed but was not specified in --target list.\n` +
        'Either include resource in --target list or pass --target-dependents to proceed.',
    ),
  )
  expect(cloud.mutatingCalls.filter(line => line.startsWith('delete'))).toEqual([])
  expect(listStateNames(testRun)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
})

test.each([
  ['TestTargetDestroyDeleteFails: a target whose delete fails stays', 'f', 'f-1'],
  [
    'TestTargetDestroyDependencyDeleteFails: the dependencies of a dependent whose delete fails stay',
    'c',
    'd-1',
  ],
  ['TestTargetDestroyChildDeleteFails: the parent of a child whose delete fails stays', 'b', 'e-1'],
])('%s', async (_title, target, failing) => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(graphProgram)
  cloud.faults.add(`delete ${failing}`)
  const targeting = { targets: [toUrn(target)], targetDependents: true }
  const testRun = await engine.run(undefined, { command: 'destroy', targeting })
  expect(testRun.result.result).toBe('failed')
  const stateNames = listStateNames(testRun)
  for (const name of ['a', target, failing.slice(0, 1)]) expect(stateNames).toContain(name)
  expect([...cloud.objects.keys()].map(id => id.slice(0, 1)).sort()).toEqual(stateNames)
})

test('a target or exclusion that matches nothing is refused before any step', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(graphProgram)
  for (const targeting of [{ targets: [targetUrnOf('none')] }, { excludes: [targetUrnOf('none')] }])
    for (const command of ['destroy', 'refresh'] as const) {
      const testRun = await engine.run(undefined, { command, targeting })
      expect(testRun.result.result).toBe('failed')
      expect(errorMessagesOf(testRun)).toEqual([`no resource named '${targetUrnOf('none')}' found`])
      expect(allStepsOf(testRun)).toEqual([])
    }
})

test('a destroy deletes providers and the stack only if they are named as targets', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(graphProgram)
  const alone = { command: 'destroy', targeting: { targets: [defaultProviderUrnOf()] } } as const
  const refused = await engine.run(undefined, alone)
  expect(errorMessagesOf(refused)).toHaveLength(6)
  const targeting = { targets: [defaultProviderUrnOf()], targetDependents: true }
  const testRun = await engine.run(undefined, { command: 'destroy', targeting })
  expect(listStateNames(testRun)).toEqual([])
  expect((testRun.state.resources ?? []).map(({ type }) => type)).toEqual(['pulumi:pulumi:Stack'])
})

test('an update deletes only those unregistered resources that are targets', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(graphProgram)
  const testRun = await engine.run(undefined, { targeting: { targets: [toUrn('f')] } })
  expect(testRun.result.result).toBe('succeeded')
  expect(listNamesByOp(testRun, 'delete')).toEqual(['f'])
  expect(listStateNames(testRun)).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('a destroy with --exclude-protected keeps protected resources and their dependencies', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    const ownProvider = await registerProvider(monitor, 'own')
    await registerProvider(monitor, 'unused')
    const a = await registerThing(monitor, 'a', {})
    const b = await registerThing(monitor, 'b', {}, { dependencies: [a.urn] })
    await registerThing(monitor, 'c', {}, { parent: b.urn, protect: true, provider: ownProvider })
    await registerThing(monitor, 'd', {}, { dependencies: [b.urn] })
  })
  const options = { command: 'destroy', targeting: { excludeProtected: true } } as const
  const testRun = await engine.run(undefined, options)
  expect(testRun.result.result).toBe('succeeded')
  expect(listStateNames(testRun)).toEqual(['a', 'b', 'c'])
  expect((testRun.state.resources ?? []).map(({ urn }) => urn)).toContain(
    defaultProviderUrnOf('own'),
  )
  expect((testRun.state.resources ?? []).map(({ urn }) => urn)).not.toContain(
    defaultProviderUrnOf('unused'),
  )
  const nextRun = await engine.run(undefined, options)
  expect([nextRun.result.result, allStepsOf(nextRun)]).toEqual(['succeeded', []])
})
