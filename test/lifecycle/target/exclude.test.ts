import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Asked, Program } from '../engine.ts'
import { createEngines, thing, things } from '../things.ts'
import { errorsOf, kept, namesBy, providerUrn, stateOf, stepsOf, urnOf } from './look.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** a > b > c > d, each the child of the one before. */
const nested =
  (v = 1): Program =>
  async monitor => {
    let parent = monitor.stack
    for (const name of ['a', 'b', 'c', 'd'])
      parent = (await thing(monitor, name, { v }, { parent })).urn
  }
const type = 'test:index:Thing'
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name, at) => urnOf(name, Array(at).fill(type)))
const excluding = (excludes: readonly (string | undefined)[], more: object = {}): Asked => ({
  targeting: { excludes: excludes.map(String), ...more },
})

test('TestExcludeTarget: what is left out is not made, and not changed', async () => {
  const engine = await engines.of(createCloud())
  const made = await engine.run(nested(), excluding([d]))
  expect(made.result.result).toBe('succeeded')
  expect(kept(made)).toEqual(['a', 'b', 'c'])
  await engine.run(nested())
  const ran = await engine.run(nested(2), excluding([b]))
  expect(namesBy(ran, 'update')).toEqual(['a', 'c', 'd'])
  expect(stateOf(ran, 'b').inputs).toEqual({ v: 1 })
})

test('TestExcludeChildren: with dependents, children are left out too', async () => {
  const engine = await engines.of(createCloud())
  const ran = await engine.run(nested(), excluding([b], { excludeDependents: true }))
  expect(ran.result.result).toBe('succeeded')
  expect(kept(ran)).toEqual(['a'])
  expect(stepsOf(ran)).toEqual(['create a', 'same b', 'same c', 'same d'])
})

test('what needs something new that is left out is refused, and the state stays whole', async () => {
  const engine = await engines.of(createCloud())
  const ran = await engine.run(nested(), excluding([b]))
  expect(ran.result.result).toBe('failed')
  expect(errorsOf(ran)[0]).toBe(
    `Resource '${c}' depends on '${b}' which is new and left out by --exclude.`,
  )
  expect(kept(ran)).toEqual(['a'])
})

test('TestDestroyExcludeTarget: a destroy leaves them out, with what they stand on; a provider can be left alone', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(nested())
  const ran = await engine.run(undefined, { command: 'destroy', ...excluding([a, b]) })
  expect(kept(ran)).toEqual(['a', 'b'])
  expect(ran.result.changes).toEqual({ delete: 2, same: 3 })
  const rest = await engine.run(undefined, { command: 'destroy', ...excluding([providerUrn()]) })
  expect((rest.state.resources ?? []).map(({ urn }) => urn)).toEqual([providerUrn()])
})

test('TestDestroyExcludeChildren: with dependents, what stands on them stays too', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(nested())
  const asked = excluding([a], { excludeDependents: true })
  const ran = await engine.run(undefined, { command: 'destroy', ...asked })
  expect(ran.result.result).toBe('succeeded')
  expect(kept(ran)).toEqual(['a', 'b', 'c', 'd'])
})

test('TestExcludeProviderImplicitly: the provider of what stays, stays', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(nested())
  const ran = await engine.run(undefined, { command: 'destroy', ...excluding([a]) })
  expect(kept(ran)).toEqual(['a'])
  expect((ran.state.resources ?? []).map(({ urn }) => urn)).toContain(providerUrn())
})

test('TestGlobExcludes: patterns leave out what they match', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(things({ a: {}, b: {} }))
  const ran = await engine.run(undefined, excluding(['**test:index**']))
  expect(kept(ran)).toEqual(['a', 'b'])
  expect(namesBy(ran, 'delete')).toEqual([])
  const one = await engine.run(undefined, excluding(['**::a']))
  expect(kept(one)).toEqual(['a'])
})

test('a provider that is left out is changed all the same', async () => {
  const engine = await engines.of(createCloud())
  const program =
    (region: string): Program =>
    async monitor => {
      const own = { type: 'pulumi:providers:test', name: 'own', custom: true }
      await monitor.register({ ...own, object: { region } })
    }
  await engine.run(program('x'))
  const ran = await engine.run(program('y'), excluding([providerUrn('own')]))
  expect(namesBy(ran, 'update')).toEqual(['own'])
})

test('TestRefreshExcludeTarget: a refresh reads all but these', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(nested())
  const ran = await engine.run(undefined, { command: 'refresh', ...excluding([b]) })
  expect(namesBy(ran, 'refresh').filter(name => name.length === 1)).toEqual(['a', 'c', 'd'])
})

test('TestRefreshExcludeChildren: with dependents, their children neither', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(nested())
  const asked = excluding([b], { excludeDependents: true })
  const ran = await engine.run(undefined, { command: 'refresh', ...asked })
  expect(namesBy(ran, 'refresh').filter(name => name.length === 1)).toEqual(['a'])
})
