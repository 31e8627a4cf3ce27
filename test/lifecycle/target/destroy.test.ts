import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { createEngines, thing } from '../things.ts'
import { errorsOf, kept, namesBy, provider, providerUrn, stepsOf, urnOf } from './look.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** b and c depend on a, d on both, e is a child of b, f stands alone. */
const graph: Program = async monitor => {
  const a = await thing(monitor, 'a', {})
  const b = await thing(monitor, 'b', {}, { dependencies: [a.urn] })
  const c = await thing(monitor, 'c', {}, { dependencies: [a.urn] })
  await thing(monitor, 'd', {}, { dependencies: [b.urn, c.urn] })
  await thing(monitor, 'e', {}, { parent: b.urn })
  await thing(monitor, 'f', {})
}

const below: Readonly<Record<string, string>> = {
  a: 'abcde',
  b: 'bde',
  c: 'cd',
  d: 'd',
  e: 'e',
  f: 'f',
}
const e = urnOf('e', ['test:index:Thing'])
const urn = (name: string): string => (name === 'e' ? e : urnOf(name))

const subsets = Object.keys(below).flatMap((one, at) => [
  [one],
  ...Object.keys(below)
    .slice(at + 1)
    .map(other => [one, other]),
])

test('TestDestroyTarget, TestDestroyTargetWithChildren: targets go with all that depends on them, or not at all', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(graph)
  for (const subset of subsets) {
    const expected = [...new Set(subset.flatMap(name => (below[name] ?? '').split('')))].sort()
    const targets = subset.map(urn)
    const destroy = { command: 'destroy', dryRun: true } as const
    const asked = { ...destroy, targeting: { targets, targetDependents: true } }
    const ran = await engine.run(undefined, asked)
    expect(namesBy(ran, 'delete'), subset.join()).toEqual(expected)
    expect(ran.result.result).toBe('succeeded')
    const alone = await engine.run(undefined, { ...destroy, targeting: { targets } })
    const others = expected.filter(name => !subset.includes(name))
    expect(alone.result.result, subset.join()).toBe(others.length === 0 ? 'succeeded' : 'failed')
    expect(errorsOf(alone)).toHaveLength(others.length)
  }
})

test('a destroy with targets keeps the rest as it is', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(graph)
  const targeting = { targets: [urn('b')], targetDependents: true }
  const ran = await engine.run(undefined, { command: 'destroy', targeting })
  expect(stepsOf(ran).slice(0, 3)).toEqual(['same a', 'same c', 'same f'])
  expect(ran.result.changes).toEqual({ same: 4, delete: 3 })
  expect(kept(ran)).toEqual(['a', 'c', 'f'])
  expect([...cloud.objects.keys()].sort()).toEqual(['a-1', 'c-1', 'f-1'])
})

test('TestTargetDestroyDependencyErrors, TestTargetDestroyChildErrors: without them a target that is depended on, or has children, stays', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(graph)
  const ran = await engine.run(undefined, {
    command: 'destroy',
    targeting: { targets: [urn('b')] },
  })
  expect(ran.result.result).toBe('failed')
  expect(stepsOf(ran)).toEqual([])
  expect(errorsOf(ran)).toEqual(
    ['d', 'e'].map(
      name =>
        `Resource '${urn(name)}' will be destroyed but was not specified in --target list.\n` +
        'Either include resource in --target list or pass --target-dependents to proceed.',
    ),
  )
  expect(cloud.log.filter(line => line.startsWith('delete'))).toEqual([])
  expect(kept(ran)).toEqual(['a', 'b', 'c', 'd', 'e', 'f'])
})

test.each([
  ['TestTargetDestroyDeleteFails: a target whose delete fails stays', 'f', 'f-1'],
  ['TestTargetDestroyDependencyDeleteFails: so does what its dependent stands on', 'c', 'd-1'],
  ['TestTargetDestroyChildDeleteFails: and a parent whose child stays', 'b', 'e-1'],
])('%s', async (_title, target, failing) => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(graph)
  cloud.faults.add(`delete ${failing}`)
  const targeting = { targets: [urn(target)], targetDependents: true }
  const ran = await engine.run(undefined, { command: 'destroy', targeting })
  expect(ran.result.result).toBe('failed')
  const left = kept(ran)
  for (const name of ['a', target, failing.slice(0, 1)]) expect(left).toContain(name)
  expect([...cloud.objects.keys()].map(id => id.slice(0, 1)).sort()).toEqual(left)
})

test('a target that names nothing is refused before anything is done', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(graph)
  for (const targeting of [{ targets: [urnOf('none')] }, { excludes: [urnOf('none')] }])
    for (const command of ['destroy', 'refresh'] as const) {
      const ran = await engine.run(undefined, { command, targeting })
      expect(ran.result.result).toBe('failed')
      expect(errorsOf(ran)).toEqual([`no resource named '${urnOf('none')}' found`])
      expect(stepsOf(ran)).toEqual([])
    }
})

test('providers and the stack are targets of a destroy by name only', async () => {
  const engine = await engines.of(createCloud())
  await engine.run(graph)
  const alone = { command: 'destroy', targeting: { targets: [providerUrn()] } } as const
  const refused = await engine.run(undefined, alone)
  expect(errorsOf(refused)).toHaveLength(6)
  const targeting = { targets: [providerUrn()], targetDependents: true }
  const ran = await engine.run(undefined, { command: 'destroy', targeting })
  expect(kept(ran)).toEqual([])
  expect((ran.state.resources ?? []).map(({ type }) => type)).toEqual(['pulumi:pulumi:Stack'])
})

test('an update deletes of what is not registered any more the targets only', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(graph)
  const ran = await engine.run(undefined, { targeting: { targets: [urn('f')] } })
  expect(ran.result.result).toBe('succeeded')
  expect(namesBy(ran, 'delete')).toEqual(['f'])
  expect(kept(ran)).toEqual(['a', 'b', 'c', 'd', 'e'])
})

test('protected resources, and what they stand on, are left out on request', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(async monitor => {
    const own = await provider(monitor, 'own')
    await provider(monitor, 'unused')
    const a = await thing(monitor, 'a', {})
    const b = await thing(monitor, 'b', {}, { dependencies: [a.urn] })
    await thing(monitor, 'c', {}, { parent: b.urn, protect: true, provider: own })
    await thing(monitor, 'd', {}, { dependencies: [b.urn] })
  })
  const asked = { command: 'destroy', targeting: { excludeProtected: true } } as const
  const ran = await engine.run(undefined, asked)
  expect(ran.result.result).toBe('succeeded')
  expect(kept(ran)).toEqual(['a', 'b', 'c'])
  expect((ran.state.resources ?? []).map(({ urn: one }) => one)).toContain(providerUrn('own'))
  expect((ran.state.resources ?? []).map(({ urn: one }) => one)).not.toContain(
    providerUrn('unused'),
  )
  const again = await engine.run(undefined, asked)
  expect([again.result.result, stepsOf(again)]).toEqual(['succeeded', []])
})
