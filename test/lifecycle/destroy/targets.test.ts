import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { TestRunOptions, Program } from '../engine.ts'
import { deployThenAddResources } from '../stack-states.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'
import {
  errorMessagesOf,
  listStateNames,
  registerProvider,
  defaultProviderUrnOf,
  resourceStateOf,
  targetUrnOf,
} from '../target/run-summary.ts'

const engines = createEngines()
afterEach(() => engines.close())

const destroy = (...targets: readonly string[]): TestRunOptions => ({
  command: 'destroy',
  runProgram: true,
  ...(targets.length === 0 ? {} : { targeting: { targets } }),
})

const group = 'test:index:Group'
const groupUrnOf = (name: string): string => `urn:pulumi:dev::life::${group}::${name}`
const ownProvider = { urn: defaultProviderUrnOf('own'), id: 'own-id' }
const reference = `${ownProvider.urn}::${ownProvider.id}`

test('TestTargetedDestroyWithProgram: only the target is deleted, although the program no longer registers the other resource', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
  const testRun = await engine.run(createThings({ a: { v: 2 } }), destroy(targetUrnOf('a')))
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['create a', 'create b', 'delete a-1'])
  expect(listStateNames(testRun)).toEqual(['b'])
})

test('TestDestroyV2ProtectedWithProviderDependencies: a protected resource keeps its provider', async () => {
  const engine = await engines.open(createCloud())
  const program: Program = async monitor => {
    const ref = await registerProvider(monitor, 'own')
    await registerThing(monitor, 'a', {}, { provider: ref, protect: true })
  }
  await engine.run(program)
  const testRun = await engine.run(program, destroy())
  expect(testRun.result.result).toBe('failed')
  expect(errorMessagesOf(testRun).join()).toContain(
    `resource "${targetUrnOf('a')}" cannot be deleted`,
  )
  expect(listStateNames(testRun)).toEqual(['a'])
  expect(testRun.state.resources?.map(({ urn }) => urn)).toContain(ownProvider.urn)
})

test('TestDestroyV2TargetProviderWithAliasedParent: a target may be the child of a renamed parent', async () => {
  const engine = await engines.open(createCloud())
  const inner = 'test:index:Inner'
  const old = `urn:pulumi:dev::life::${group}$${inner}::child`
  const target = `urn:pulumi:dev::life::${group}$${inner}$pulumi:providers:test::childprov`
  await deployThenAddResources(engine, [
    ownProvider,
    { urn: groupUrnOf('parent') },
    { urn: old, parent: groupUrnOf('parent') },
    { urn: target, id: 'p', parent: old },
  ])
  const program: Program = async monitor => {
    await registerProvider(monitor, 'own')
    const child = await monitor.register({
      type: inner,
      name: 'child',
      object: {},
      aliasURNs: [old],
    })
    await registerProvider(monitor, 'childprov', { parent: child.urn })
  }
  const testRun = await engine.run(program, destroy(target))
  expect(testRun.result.result).toBe('succeeded')
  const urns = testRun.state.resources?.map(({ urn }) => urn) ?? []
  expect(urns.filter(urn => urn.includes('provider'))).toEqual([ownProvider.urn])
  // A resource outside of the targets keeps its name and its parent.
  expect(resourceStateOf(testRun, 'child')).toMatchObject({
    urn: old,
    parent: groupUrnOf('parent'),
  })
})

test('TestDestroyV2ResourceReferencesAliasedProvider: a renamed provider is deleted with its resources', async () => {
  const engine = await engines.open(createCloud())
  await deployThenAddResources(engine, [
    ownProvider,
    { urn: targetUrnOf('a'), provider: reference },
  ])
  const testRun = await engine.run(async monitor => {
    const parent = await monitor.register({ type: group, name: 'b', object: {} })
    const aliasURNs = [ownProvider.urn]
    const ref = await registerProvider(monitor, 'own', { parent: parent.urn, aliasURNs })
    await registerThing(monitor, 'a', {}, { custom: false, provider: ref })
  }, destroy())
  expect(testRun.result.result).toBe('succeeded')
  expect(testRun.state.resources ?? []).toEqual([])
})

test('TestDestroyV2ResourceWithDependencyOnDeleted: old copies that depend on old copies are deleted', async () => {
  const engine = await engines.open(createCloud())
  const copy = { urn: groupUrnOf('g'), provider: reference }
  await deployThenAddResources(engine, [
    ownProvider,
    copy,
    { ...copy, delete: true },
    {
      urn: targetUrnOf('b'),
      id: 'b-1',
      delete: true,
      pendingReplacement: true,
      provider: reference,
      dependencies: [copy.urn],
    },
  ])
  const program: Program = async monitor => void (await registerProvider(monitor, 'own'))
  const testRun = await engine.run(program, { ...destroy(), refresh: true })
  expect(testRun.result.result).toBe('succeeded')
  expect(testRun.state.resources ?? []).toEqual([])
})
