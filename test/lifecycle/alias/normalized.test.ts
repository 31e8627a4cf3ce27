import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { statesOf, stepsOf } from '../run-events.ts'
import { createEngines } from '../register-thing.ts'
import { typedUrnOf, toWireAlias } from './declarations.ts'

const engines = createEngines()
afterEach(() => engines.close())

const [from, to] = ['prog:index:From', 'prog:index:To']
const [first, last] = [typedUrnOf(from, 'from'), typedUrnOf(to, 'to')]

/** Returns the options by which a resource refers to `moving`: by its URN, or as its provider. */
type ReferenceOptionsOf = (urn: string, id: string) => object

/** Returns a program with two children of `parent`: `moving`, and `refers`, which refers to it. */
const createChildProgram =
  (parent: string, type: string, referenceOptionsOf: ReferenceOptionsOf): Program =>
  async monitor => {
    await monitor.register({ type: from, name: 'from' })
    await monitor.register({ type: to, name: 'to' })
    const aliases = parent === first ? [] : [toWireAlias({ parent: first })]
    const child = { custom: true, object: {}, parent, aliases }
    const { urn, id } = await monitor.register({ ...child, type, name: 'moving' })
    const references = referenceOptionsOf(urn, id)
    await monitor.register({ ...child, type: 'test:index:Thing', name: 'refers', ...references })
  }

const movingType = 'test:index:Moving'
const movedUrn = typedUrnOf(`${to}$${movingType}`, 'moving')

test.each<[string, string, ReferenceOptionsOf, (id: string) => object]>([
  [
    'TestAliasesInProvidersAreNormalized: a provider that moved gets its new URN',
    'pulumi:providers:test',
    (urn, id) => ({ provider: `${urn}::${id}` }),
    id => ({ provider: `${typedUrnOf(`${to}$pulumi:providers:test`, 'moving')}::${id}` }),
  ],
  [
    'TestAliasesInDependenciesAreNormalized: a dependency that moved gets its new URN',
    movingType,
    urn => ({ dependencies: [urn] }),
    () => ({ dependencies: [movedUrn] }),
  ],
  [
    'TestAliasesInPropertyDependenciesAreNormalized: a property dependency that moved gets its new URN',
    movingType,
    urn => ({ propertyDependencies: new Map([['p', { urns: [urn] }]]) }),
    () => ({ propertyDependencies: { p: [movedUrn] } }),
  ],
  [
    'TestAliasesInDeletedWithAreNormalized: a deletedWith target that moved gets its new URN',
    movingType,
    urn => ({ deletedWith: urn }),
    () => ({ deletedWith: movedUrn }),
  ],
])('%s', async (_title, type, refer, expected) => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createChildProgram(first, type, refer))
  // `refers` is not registered, so its references come from the state alone.
  const failedRun = await engine.run(async monitor => {
    await monitor.register({ type: from, name: 'from' })
    await monitor.register({ type: to, name: 'to' })
    const aliases = [toWireAlias({ parent: first })]
    await monitor.register({
      type,
      name: 'moving',
      custom: true,
      object: {},
      parent: last,
      aliases,
    })
    throw new Error('it ends here')
  })
  const movedId = statesOf(failedRun, 'moving')[0]?.['id']
  const id = typeof movedId === 'string' ? movedId : ''
  expect(statesOf(failedRun, 'refers')).toMatchObject([expected(id)])
  const testRun = await engine.run(createChildProgram(last, type, refer))
  expect(testRun.result.result).toBe('succeeded')
  expect(new Set(stepsOf(testRun).map(step => step.split(' ')[0]))).toEqual(new Set(['same']))
  expect(statesOf(testRun, 'refers')).toMatchObject([
    {
      urn: typedUrnOf(`${to}$test:index:Thing`, 'refers'),
      parent: last,
      ...expected(id),
    },
  ])
  expect(cloud.mutatingCalls.filter(call => !call.startsWith('create'))).toEqual([])
})
