import { afterEach, expect, test } from 'vitest'
import type { DiffRequest } from '../../../proto/gen/pulumi/provider.ts'
import { DiffResponse } from '../../../proto/gen/pulumi/provider.ts'
import { type Cloud, createCloud } from '../cloud.ts'
import type { Monitor, Program } from '../engine.ts'
import { editStackResources } from '../stack-states.ts'
import { opsOf, diagnosticsOf, statesOf, stepsOf } from '../run-events.ts'
import { createEngines, deleteFirst, registerThing, withDependency } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Answers Diff: a changed `replace` forces a replacement, which deletes the old object first. */
const diffReplace = ({ oldInputs, news }: Pick<DiffRequest, 'oldInputs' | 'news'>) => {
  const isChanged = JSON.stringify(oldInputs?.['replace']) !== JSON.stringify(news?.['replace'])
  const replaces = isChanged ? ['replace'] : []
  return DiffResponse.create({ changes: isChanged ? 2 : 1, replaces, deleteBeforeReplace: true })
}

/** Creates a cloud whose resources and providers are deleted before they are replaced. */
function createDeleteFirstCloud(): Cloud {
  const cloud = createCloud()
  const script = { ...cloud.script, diff: diffReplace, diffConfig: diffReplace }
  return { ...cloud, script }
}

const dependOn = (property: string, ...urns: readonly string[]): object => ({
  dependencies: urns,
  propertyDependencies: new Map([[property, { urns }]]),
})

/**
 * `A`, `C` and `D` each have three dependents: one uses it as its provider, one would be replaced
 * with it, and one would not.
 */
const createGraph =
  (value: string): Program =>
  async monitor => {
    const registerOwnProvider = async (
      name: string,
      object: Record<string, unknown>,
      more = {},
    ) => {
      const type = 'pulumi:providers:test'
      const { urn, id } = await monitor.register({ type, name, custom: true, object, ...more })
      return { urn, provider: `${urn}::${id}` }
    }
    const registerNamed = async (name: string, object: Record<string, unknown>, more: object) =>
      (await registerThing(monitor, name, object, more)).urn
    const a = await registerOwnProvider('A', { replace: value })
    await registerNamed('B', {}, { provider: a.provider })
    const c = await registerOwnProvider('C', { replace: 'c' }, dependOn('replace', a.urn))
    const d = await registerOwnProvider('D', { v: 'd' }, dependOn('v', a.urn))
    await registerNamed('E', {}, { provider: c.provider })
    const f = await registerNamed('F', { replace: 'f' }, dependOn('replace', c.urn))
    const g = await registerNamed('G', { v: 'g' }, dependOn('v', c.urn))
    await registerNamed('H', {}, { provider: d.provider })
    await registerNamed('I', { replace: 'i' }, dependOn('replace', d.urn))
    await registerNamed('J', { v: 'j' }, dependOn('v', d.urn))
    await registerNamed('K', { replace: 'k' }, dependOn('replace', f, g))
    await registerNamed('L', { v: 'l' }, dependOn('v', f, g))
  }

test('TestDeleteBeforeReplace: resources to be replaced are deleted first, dependents before their dependencies', async () => {
  const cloud = createDeleteFirstCloud()
  const engine = await engines.open(cloud)
  await engine.run(createGraph('foo'))
  const logLength = cloud.mutatingCalls.length
  const testRun = await engine.run(createGraph('bar'))
  expect(testRun.result.result).toBe('succeeded')
  const names = 'A B C D E F G H I J K L'.split(' ')
  expect(names.filter(name => opsOf(testRun, name).includes('replace'))).toEqual([
    'A',
    'B',
    'C',
    'E',
    'F',
    'K',
  ])
  const sameNames = names.filter(name => opsOf(testRun, name).join() === 'same')
  expect(sameNames).toEqual(['D', 'G', 'H', 'I', 'J', 'L'])
  const deletes = testRun.events.flatMap(event =>
    'resourcePreEvent' in event && event.resourcePreEvent.metadata.op === 'delete-replaced'
      ? [event.resourcePreEvent.metadata.urn.split('::').at(-1) ?? '']
      : [],
  )
  expect(new Set(deletes)).toEqual(new Set(['A', 'B', 'C', 'E', 'F', 'K']))
  const isBefore = (one: string, other: string) => deletes.indexOf(one) < deletes.indexOf(other)
  for (const pair of ['BA', 'CA', 'EC', 'FC', 'KF']) {
    const [one = '', other = ''] = pair
    expect([pair, isBefore(one, other)]).toEqual([pair, true])
  }
  const calls = cloud.mutatingCalls.slice(logLength)
  expect(calls.slice(0, 4).every(call => call.startsWith('delete'))).toBe(true)
  expect(calls.slice(4)).toEqual(['create B', 'create E', 'create F', 'create K'])
})

test('TestPropertyDependenciesAdapter: without property dependencies, each property depends on all dependencies', async () => {
  const engine = await engines.open(createCloud())
  const urns: Record<string, string> = {}
  const testRun = await engine.run(async monitor => {
    for (const name of ['a', 'b']) urns[name] = (await registerThing(monitor, name, {})).urn
    const { a = '', b = '' } = urns
    const object = { p: 'foo', q: 'bar' }
    const { urn: c } = await registerThing(monitor, 'c', object, { dependencies: [a, b] })
    urns['c'] = c
    const propertyDependencies = new Map([
      ['p', { urns: [b] }],
      ['q', { urns: [a, c] }],
    ])
    await registerThing(monitor, 'd', object, { dependencies: [a, b, c], propertyDependencies })
  })
  const { a, b, c } = urns
  for (const name of ['a', 'b'])
    for (const key of ['dependencies', 'propertyDependencies'])
      expect(statesOf(testRun, name)[0]?.[key] ?? []).toEqual([])
  expect(statesOf(testRun, 'c')).toMatchObject([
    { dependencies: [a, b], propertyDependencies: { p: [a, b], q: [a, b] } },
  ])
  expect(statesOf(testRun, 'd')).toMatchObject([
    { dependencies: [a, b, c], propertyDependencies: { p: [b], q: [a, c] } },
  ])
})

const createFirst = ['create-replacement a', 'replace a', 'same b', 'delete-replaced a']
const bothDeletedFirst = [
  'delete-replaced b',
  'delete-replaced a',
  'replace a',
  'create-replacement a',
  'replace b',
  'create-replacement b',
]

test('TestExplicitDeleteBeforeReplace: the option of the program has priority over the request of the provider', async () => {
  const cloud = createCloud()
  let deletesBeforeReplace = false
  const diff = (diffRequest: DiffRequest) => ({
    ...diffReplace(diffRequest),
    deleteBeforeReplace: deletesBeforeReplace,
  })
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, diff } })
  const program =
    (a: string, b: string, more: object = {}): Program =>
    async monitor => {
      const { urn } = await registerThing(monitor, 'a', { replace: a }, more)
      await registerThing(monitor, 'b', { replace: b }, withDependency(urn))
    }
  const neverDeleteFirst = { deleteBeforeReplace: false, deleteBeforeReplaceDefined: true }
  await engine.run(program('foo', 'foo'))
  const turns: readonly (readonly [Program, readonly string[], boolean?])[] = [
    [program('bar', 'foo'), createFirst],
    [program('baz', 'foo', deleteFirst), bothDeletedFirst],
    [
      program('baz', 'qux', deleteFirst),
      ['same a', 'create-replacement b', 'replace b', 'delete-replaced b'],
    ],
    [program('zam', 'qux'), createFirst],
    [program('foo', 'qux'), bothDeletedFirst, true],
    [program('bar', 'qux', neverDeleteFirst), createFirst, true],
  ]
  for (const [number, [next, steps, isRequested = false]] of turns.entries()) {
    deletesBeforeReplace = isRequested
    const testRun = await engine.run(next)
    expect([number, testRun.result.result, stepsOf(testRun)]).toEqual([number, 'succeeded', steps])
  }
})

const createPair =
  (value: string, more: object = {}): Program =>
  async monitor => {
    const { urn } = await registerThing(monitor, 'a', { replace: value })
    await registerThing(monitor, 'b', { replace: 'b' }, { ...withDependency(urn), ...more })
  }

test('TestDependencyChangeDBR: a resource that no longer depends on the replaced one is not replaced', async () => {
  const cloud = createDeleteFirstCloud()
  const engine = await engines.open(cloud)
  await engine.run(createPair('foo'))
  const testRun = await engine.run(async monitor => {
    await registerThing(monitor, 'b', { replace: 'b' })
    await registerThing(monitor, 'a', { replace: 'bar' })
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(opsOf(testRun, 'b')).toEqual(['same'])
  expect(cloud.mutatingCalls.slice(2)).toEqual(['delete a-1', 'create a'])
})

test('TestDBRProtect: a protected resource in a cascade prevents all deletes of the cascade', async () => {
  const cloud = createDeleteFirstCloud()
  const engine = await engines.open(cloud)
  await engine.run(createPair('foo', { protect: true }))
  for (const dryRun of [true, false]) {
    const refused = await engine.run(createPair('bar', { protect: true }), { dryRun })
    expect(refused.result.result).toBe('failed')
    expect(diagnosticsOf(refused).join()).toMatch(
      /unable to replace resource ".*::b" as part of replacing ".*::a" as it is currently marked/,
    )
  }
  expect(cloud.mutatingCalls).toEqual(['create a', 'create b'])
  await editStackResources(engine, resource => [{ ...resource, protect: false }])
  const testRun = await engine.run(createPair('bar', { protect: true }))
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls.slice(2)).toEqual(['delete b-1', 'delete a-1', 'create a', 'create b'])
})

test('TestDBRReplaceOnChanges: a dependent whose replaceOnChanges names the dependent property is part of the cascade', async () => {
  const cloud = createCloud()
  // For the other resource the provider reports nothing, so the engine compares the inputs.
  const diff = (diffRequest: DiffRequest) =>
    diffRequest.urn.endsWith('::a') ? diffReplace(diffRequest) : DiffResponse.create({})
  const engine = await engines.open({ ...cloud, script: { ...cloud.script, diff } })
  const program =
    (value: string): Program =>
    async monitor => {
      const { urn, object } = await registerThing(monitor, 'a', { replace: value })
      const more = { ...withDependency(urn), replaceOnChanges: ['replace'] }
      await registerThing(monitor, 'b', { replace: object?.['replace'] }, more)
    }
  await engine.run(program('foo'))
  const testRun = await engine.run(program('bar'))
  expect(testRun.result.result).toBe('succeeded')
  expect(stepsOf(testRun)).toEqual(bothDeletedFirst)
})

/** Returns a Diff that answers for one resource only after it has answered for `first`. */
function createOrderedDiff(first: string) {
  const answered = Promise.withResolvers<void>()
  return async (diffRequest: DiffRequest): Promise<DiffResponse> => {
    const answer = diffReplace(diffRequest)
    if (diffRequest.urn.endsWith(`::${first}`)) answered.resolve()
    else {
      await answered.promise
      await new Promise(done => setTimeout(done, 50))
    }
    return answer
  }
}

test.each(['a', 'b'])(
  'TestDBRParallel: a former dependent is deleted first even if the diff of %s arrives first',
  async first => {
    const cloud = createCloud()
    const diff = createOrderedDiff(first)
    const engine = await engines.open({ ...cloud, script: { ...cloud.script, diff } })
    await engine.run(createPair('foo'))
    const registerBoth = (monitor: Monitor) =>
      Promise.all(['a', 'b'].map(name => registerThing(monitor, name, { replace: 'bar' })))
    const testRun = await engine.run(async monitor => void (await registerBoth(monitor)))
    expect(testRun.result.result).toBe('succeeded')
    const calls = cloud.mutatingCalls.slice(2)
    expect(calls.indexOf('delete b-1')).toBeLessThan(calls.indexOf('delete a-1'))
    expect(calls.indexOf('delete b-1')).toBeLessThan(calls.indexOf('create b'))
    expect([...calls].sort()).toEqual(['create a', 'create b', 'delete a-1', 'delete b-1'])
  },
)

test('a renamed resource that a cascade deleted is created once, and no old object remains', async () => {
  const cloud = createDeleteFirstCloud()
  const engine = await engines.open(cloud)
  await engine.run(createPair('foo'))
  const alias = { name: 'b', type: '', stack: '', project: '', parent: undefined }
  const aliases = [{ alias: { $case: 'spec' as const, value: alias } }]
  const renamedProgram: Program = async monitor => {
    const { urn } = await registerThing(monitor, 'a', { replace: 'bar' })
    await registerThing(monitor, 'new', { replace: 'b' }, { ...withDependency(urn), aliases })
  }
  const testRun = await engine.run(renamedProgram)
  expect(stepsOf(testRun)).toEqual([
    'delete-replaced b',
    'delete-replaced a',
    'replace a',
    'create-replacement a',
    'replace new',
    'create-replacement new',
  ])
  expect(cloud.mutatingCalls.slice(2)).toEqual([
    'delete b-1',
    'delete a-1',
    'create a',
    'create new',
  ])
  expect(statesOf(testRun, 'new')).toMatchObject([{ id: 'new-1' }])
  expect(statesOf(testRun, 'b')).toEqual([])
})
