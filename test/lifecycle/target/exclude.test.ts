import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { TestRunOptions, Program } from '../engine.ts'
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

/** Registers a, b, c and d. Each of the last three is the child of the previous one. */
const createNested =
  (v = 1): Program =>
  async monitor => {
    let parent = monitor.stack
    for (const name of ['a', 'b', 'c', 'd'])
      parent = (await registerThing(monitor, name, { v }, { parent })).urn
  }
const type = 'test:index:Thing'
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name, index) =>
  targetUrnOf(name, Array(index).fill(type)),
)
const withExcludes = (
  excludes: readonly (string | undefined)[],
  more: object = {},
): TestRunOptions => ({
  targeting: { excludes: excludes.map(String), ...more },
})

test('TestExcludeTarget: an excluded resource is neither created nor changed', async () => {
  const engine = await engines.open(createCloud())
  const firstRun = await engine.run(createNested(), withExcludes([d]))
  expect(firstRun.result.result).toBe('succeeded')
  expect(listStateNames(firstRun)).toEqual(['a', 'b', 'c'])
  await engine.run(createNested())
  const testRun = await engine.run(createNested(2), withExcludes([b]))
  expect(listNamesByOp(testRun, 'update')).toEqual(['a', 'c', 'd'])
  expect(resourceStateOf(testRun, 'b').inputs).toEqual({ v: 1 })
})

test('TestExcludeChildren: with --exclude-dependents, children of an excluded resource are excluded, too', async () => {
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(createNested(), withExcludes([b], { excludeDependents: true }))
  expect(testRun.result.result).toBe('succeeded')
  expect(listStateNames(testRun)).toEqual(['a'])
  expect(allStepsOf(testRun)).toEqual(['create a', 'same b', 'same c', 'same d'])
})

test('a resource that depends on an excluded new one is refused, and the state stays valid', async () => {
  const engine = await engines.open(createCloud())
  const testRun = await engine.run(createNested(), withExcludes([b]))
  expect(testRun.result.result).toBe('failed')
  expect(errorMessagesOf(testRun)[0]).toBe(
    `Resource '${c}' depends on '${b}' which is new and left out by --exclude.`,
  )
  expect(listStateNames(testRun)).toEqual(['a'])
})

test('the refusal of a resource that depends on an excluded one names --exclude also with --replace', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createNested(), withExcludes([b], { excludeDependents: true }))
  const testRun = await engine.run(createNested(), withExcludes([b], { replaces: [String(a)] }))
  expect(errorMessagesOf(testRun)).toEqual([
    `Resource '${c}' depends on '${b}' which is new and left out by --exclude.`,
  ])
})

test('TestDestroyExcludeTarget: a destroy keeps excluded resources with their dependencies, and can exclude only a provider', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createNested())
  const testRun = await engine.run(undefined, { command: 'destroy', ...withExcludes([a, b]) })
  expect(listStateNames(testRun)).toEqual(['a', 'b'])
  expect(testRun.result.changes).toEqual({ delete: 2, same: 3 })
  const secondRun = await engine.run(undefined, {
    command: 'destroy',
    ...withExcludes([defaultProviderUrnOf()]),
  })
  expect((secondRun.state.resources ?? []).map(({ urn }) => urn)).toEqual([defaultProviderUrnOf()])
})

test('TestDestroyExcludeChildren: with --exclude-dependents, the dependents of excluded resources are kept, too', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createNested())
  const options = withExcludes([a], { excludeDependents: true })
  const testRun = await engine.run(undefined, { command: 'destroy', ...options })
  expect(testRun.result.result).toBe('succeeded')
  expect(listStateNames(testRun)).toEqual(['a', 'b', 'c', 'd'])
})

test('TestExcludeProviderImplicitly: the provider of an excluded resource is kept', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createNested())
  const testRun = await engine.run(undefined, { command: 'destroy', ...withExcludes([a]) })
  expect(listStateNames(testRun)).toEqual(['a'])
  expect((testRun.state.resources ?? []).map(({ urn }) => urn)).toContain(defaultProviderUrnOf())
})

test('TestGlobExcludes: patterns exclude all matching resources', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ a: {}, b: {} }))
  const testRun = await engine.run(undefined, withExcludes(['**test:index**']))
  expect(listStateNames(testRun)).toEqual(['a', 'b'])
  expect(listNamesByOp(testRun, 'delete')).toEqual([])
  const one = await engine.run(undefined, withExcludes(['**::a']))
  expect(listStateNames(one)).toEqual(['a'])
})

test('an excluded provider is updated nevertheless', async () => {
  const engine = await engines.open(createCloud())
  const program =
    (region: string): Program =>
    async monitor => {
      const ownProvider = { type: 'pulumi:providers:test', name: 'own', custom: true }
      await monitor.register({ ...ownProvider, object: { region } })
    }
  await engine.run(program('x'))
  const testRun = await engine.run(program('y'), withExcludes([defaultProviderUrnOf('own')]))
  expect(listNamesByOp(testRun, 'update')).toEqual(['own'])
})

test('TestRefreshExcludeTarget: a refresh reads all resources except the excluded ones', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createNested())
  const testRun = await engine.run(undefined, { command: 'refresh', ...withExcludes([b]) })
  expect(listNamesByOp(testRun, 'refresh').filter(name => name.length === 1)).toEqual([
    'a',
    'c',
    'd',
  ])
})

test('TestRefreshExcludeChildren: with --exclude-dependents, children of excluded resources are not read either', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createNested())
  const options = withExcludes([b], { excludeDependents: true })
  const testRun = await engine.run(undefined, { command: 'refresh', ...options })
  expect(listNamesByOp(testRun, 'refresh').filter(name => name.length === 1)).toEqual(['a'])
})
