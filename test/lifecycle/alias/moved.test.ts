import { Metadata } from '@grpc/grpc-js'
import { afterEach, describe, expect, test } from 'vitest'
import { RegisterResourceRequest } from '../../../proto/gen/pulumi/resource.ts'
import { createCloud } from '../cloud.ts'
import type { Monitor, Program } from '../engine.ts'
import { ProgramFailed } from '../scripted-hosts.ts'
import { statesOf } from '../run-events.ts'
import { createEngines } from '../register-thing.ts'
import {
  type ResourceDeclaration,
  stepKindsOf,
  registerAll,
  toProgram,
  typedUrnOf,
  stateUrnsOf,
  toWireAlias,
} from './declarations.ts'

const engines = createEngines()
afterEach(() => engines.close())

const typeOf = (kind: string): string => `test:index:${kind}`
/** The URN of the resource `a`. */
const a = typedUrnOf(typeOf('A'), 'a')

/** Registers a resource like an SDK that identifies itself in its headers. */
function registerAs(
  monitor: Monitor,
  { runtimeMetadata, aliasSpecs }: { runtimeMetadata: Record<string, string>; aliasSpecs: boolean },
  { type, name, parent, aliases = [] }: ResourceDeclaration,
): Promise<void> {
  const metadata = new Metadata()
  for (const [key, value] of Object.entries(runtimeMetadata)) metadata.set(key, value)
  const request = RegisterResourceRequest.create({
    type,
    name,
    custom: true,
    object: {},
    parent: parent ?? monitor.stack,
    aliases: aliases.map(toWireAlias),
    aliasSpecs,
  })
  return new Promise((resolve, reject) =>
    monitor.client.registerResource(request, metadata, failed =>
      failed === null ? resolve() : reject(failed),
    ),
  )
}

const node = { 'pulumi-runtime': 'nodejs' }
test.each([
  ['an older Node SDK', { runtimeMetadata: node, aliasSpecs: false }, {}],
  ['a current Node SDK', { runtimeMetadata: node, aliasSpecs: true }, { noParent: true }],
  [
    'an SDK of another language',
    { runtimeMetadata: { 'pulumi-runtime': 'go' }, aliasSpecs: false },
    { noParent: true },
  ],
])(
  'TestAliasesNodeJSBackCompat: an alias without a parent has the form of %s',
  async (_who, sdk, noParentAlias) => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    const program =
      (b: ResourceDeclaration): Program =>
      async monitor => {
        await registerAs(monitor, sdk, { type: typeOf('A'), name: 'a' })
        await registerAs(monitor, sdk, b)
      }
    await engine.run(program({ type: typeOf('B'), name: 'b' }))
    const downRun = await engine.run(
      program({ type: typeOf('B'), name: 'b', parent: a, aliases: [noParentAlias] }),
    )
    const upRun = await engine.run(
      program({ type: typeOf('B'), name: 'b', aliases: [{ parent: a }] }),
    )
    expect([stepKindsOf(downRun), stepKindsOf(upRun)]).toEqual([['same'], ['same']])
    expect(cloud.mutatingCalls).toEqual(['create a', 'create b'])
  },
)

describe('TestDuplicatesDueToAliases: an alias that names a registered resource fails the deployment', () => {
  const renamed = { type: typeOf('A'), name: 'b', aliases: [{ name: 'a' }] }
  test.each([
    ['first', [{ type: typeOf('A'), name: 'a' }, renamed], a],
    ['last', [renamed, { type: typeOf('A'), name: 'a' }], typedUrnOf(typeOf('A'), 'b')],
  ])('when the named resource is registered %s', async (_when, all, keptUrn) => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(toProgram({ type: typeOf('A'), name: 'a' }))
    const testRun = await engine.run(toProgram(...all))
    expect(testRun.result.result).toBe('failed')
    expect(stateUrnsOf(testRun)).toEqual([keptUrn])
    expect(cloud.mutatingCalls).toEqual(['create a'])
  })
})

test('TestCorrectResourceChosen: a resource is looked up by its own URN before its aliases', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const [top, child] = [
    { type: typeOf('A'), name: 'a' },
    { type: typeOf('A'), name: 'b', parent: a, object: { v: 1 } },
  ]
  await engine.run(toProgram(top, child, { type: typeOf('A'), name: 'b', object: { v: 2 } }))
  const movedChild = { type: typeOf('A'), name: 'b', object: { v: 2 }, aliases: [{ parent: a }] }
  const testRun = await engine.run(toProgram(top, movedChild))
  expect(testRun.result.result).toBe('succeeded')
  expect(stateUrnsOf(testRun)).toEqual([a, typedUrnOf(typeOf('A'), 'b')])
  expect(cloud.mutatingCalls.slice(3)).toEqual(['delete b-1'])
  expect(statesOf(testRun, 'b')).toMatchObject([{ id: 'b-2' }])
  expect(statesOf(testRun, 'b')[0]).not.toHaveProperty('aliases')
})

test('TestComponentToCustomUpdate: a component becomes a custom resource and a component again', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const component = { type: 'prog::myType', name: 'a', custom: false, object: { v: 1 } }
  const custom = { type: typeOf('A'), name: 'a', object: { v: 1 } }
  await engine.run(toProgram(component))
  const firstRun = await engine.run(toProgram({ ...custom, aliases: [{ type: 'prog::myType' }] }))
  expect(firstRun.result.result).toBe('succeeded')
  expect(statesOf(firstRun, 'a')).toMatchObject([{ type: typeOf('A'), custom: true }])
  const secondRun = await engine.run(toProgram({ ...component, aliases: [{ type: typeOf('A') }] }))
  expect(secondRun.result.result).toBe('succeeded')
  expect(statesOf(secondRun, 'a')).toMatchObject([{ type: 'prog::myType', custom: false }])
  expect(secondRun.state.resources?.map(({ type }) => type)).toEqual([
    'pulumi:pulumi:Stack',
    'prog::myType',
  ])
})

const declareComponent = (type: string, name: string, parent?: string): ResourceDeclaration => ({
  type,
  name,
  custom: false,
  ...(parent === undefined ? {} : { parent }),
})

test('TestParentAlias: an alias may name a former parent by the URN that it gets in the same deployment', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const top = declareComponent('prog:index:Std', 'a')
  const parentUrn = typedUrnOf('prog:index:Std', 'a')
  const b = typedUrnOf('prog:index:My', 'b')
  const movedUrn = typedUrnOf('prog:index:Std$prog:index:My', 'b')
  await engine.run(
    toProgram(top, declareComponent('prog:index:My', 'b'), {
      type: typeOf('C'),
      name: 'c',
      parent: b,
    }),
  )
  const testRun = await engine.run(
    toProgram(
      top,
      { ...declareComponent('prog:index:My', 'b', parentUrn), aliases: [{ noParent: true }] },
      { type: typeOf('C'), name: 'c', parent: parentUrn, aliases: [{ parent: movedUrn }] },
    ),
  )
  expect(stepKindsOf(testRun)).toEqual(['same'])
  expect(stateUrnsOf(testRun)).toEqual([
    parentUrn,
    movedUrn,
    typedUrnOf(`prog:index:Std$${typeOf('C')}`, 'c'),
  ])
  expect(cloud.mutatingCalls).toEqual(['create c'])
})

test('TestEmptyParentAlias: an alias with an empty parent uses the current parent', async () => {
  const engine = await engines.open(createCloud())
  const top = declareComponent('prog:index:Std', 'a')
  const parentUrn = typedUrnOf('prog:index:Std', 'a')
  await engine.run(toProgram(top, declareComponent('prog:index:My', 'b', parentUrn)))
  const renamed = {
    ...declareComponent('prog:index:My', 'c', parentUrn),
    aliases: [{ name: 'b', parent: '' }],
  }
  const testRun = await engine.run(toProgram(top, renamed))
  expect(stepKindsOf(testRun)).toEqual(['same'])
  expect(stateUrnsOf(testRun)).toEqual([parentUrn, typedUrnOf('prog:index:Std$prog:index:My', 'c')])
})

test('TestSplitUpdateComponentAliases: children follow a renamed component over two deployments', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const nestedUrn = typedUrnOf(`${typeOf('A')}$${typeOf('B')}`, 'b')
  await engine.run(
    toProgram({ type: typeOf('A'), name: 'a' }, declareComponent(typeOf('B'), 'b', a), {
      type: typeOf('C'),
      name: 'c',
      parent: nestedUrn,
    }),
  )
  const movedOut = { ...declareComponent(typeOf('B'), 'b'), aliases: [nestedUrn] }
  const b = typedUrnOf(typeOf('B'), 'b')
  const failedRun = await engine.run(async monitor => {
    await registerAll(monitor, [movedOut])
    throw new ProgramFailed('something went wrong')
  })
  expect(failedRun.result.result).toBe('failed')
  // An unregistered child still gets the URN that its parent implies.
  const c = typedUrnOf(`${typeOf('B')}$${typeOf('C')}`, 'c')
  expect(new Set(stateUrnsOf(failedRun))).toEqual(new Set([b, a, c]))
  expect(statesOf(failedRun, 'c')).toMatchObject([{ urn: c, parent: b }])
  const testRun = await engine.run(toProgram(movedOut, { type: typeOf('C'), name: 'c', parent: b }))
  expect(testRun.result.result).toBe('succeeded')
  expect(stateUrnsOf(testRun)).toEqual([b, c])
  expect(cloud.mutatingCalls).toEqual(['create a', 'create c', 'delete a-1'])
})

test('TestFailDeleteDuplicateAliases: a previous name can be used again although its old resource still exists', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const plain = { type: typeOf('A'), name: 'a' }
  await engine.run(toProgram(plain))
  const renamedRun = await engine.run(
    toProgram({ type: typeOf('A'), name: 'ax', aliases: [{ name: 'a' }] }),
  )
  expect(stateUrnsOf(renamedRun)).toEqual([typedUrnOf(typeOf('A'), 'ax')])
  expect(statesOf(renamedRun, 'ax')[0]).not.toHaveProperty('aliases')
  cloud.faults.add('delete a-1')
  const testRun = await engine.run(toProgram(plain))
  expect(testRun.result.result).toBe('failed')
  expect(stateUrnsOf(testRun)).toEqual([a, typedUrnOf(typeOf('A'), 'ax')])
  expect(cloud.mutatingCalls).toEqual(['create a', 'create a', 'delete a-1'])
})
