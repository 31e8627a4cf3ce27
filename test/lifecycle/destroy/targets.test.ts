import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Asked, Program } from '../engine.ts'
import { given } from '../states.ts'
import { createEngines, thing, things } from '../things.ts'
import { errorsOf, kept, provider, providerUrn, stateOf, urnOf } from '../target/look.ts'

const engines = createEngines()
afterEach(() => engines.close())

const destroy = (...targets: readonly string[]): Asked => ({
  command: 'destroy',
  runProgram: true,
  ...(targets.length === 0 ? {} : { targeting: { targets } }),
})

const group = 'test:index:Group'
const groupUrn = (name: string): string => `urn:pulumi:dev::life::${group}::${name}`
const own = { urn: providerUrn('own'), id: 'own-id' }
const reference = `${own.urn}::${own.id}`

test('TestTargetedDestroyWithProgram: only the target goes, though the program has forgotten others', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(things({ a: { v: 1 }, b: { v: 1 } }))
  const ran = await engine.run(things({ a: { v: 2 } }), destroy(urnOf('a')))
  expect(ran.result.result).toBe('succeeded')
  expect(cloud.log).toEqual(['create a', 'create b', 'delete a-1'])
  expect(kept(ran)).toEqual(['b'])
})

test('TestDestroyV2ProtectedWithProviderDependencies: what is protected keeps its provider', async () => {
  const engine = await engines.of(createCloud())
  const program: Program = async monitor => {
    const ref = await provider(monitor, 'own')
    await thing(monitor, 'a', {}, { provider: ref, protect: true })
  }
  await engine.run(program)
  const ran = await engine.run(program, destroy())
  expect(ran.result.result).toBe('failed')
  expect(errorsOf(ran).join()).toContain(`resource "${urnOf('a')}" cannot be deleted`)
  expect(kept(ran)).toEqual(['a'])
  expect(ran.state.resources?.map(({ urn }) => urn)).toContain(own.urn)
})

test('TestDestroyV2TargetProviderWithAliasedParent: a target may stand below what has another name now', async () => {
  const engine = await engines.of(createCloud())
  const inner = 'test:index:Inner'
  const old = `urn:pulumi:dev::life::${group}$${inner}::child`
  const target = `urn:pulumi:dev::life::${group}$${inner}$pulumi:providers:test::childprov`
  await given(engine, [
    own,
    { urn: groupUrn('parent') },
    { urn: old, parent: groupUrn('parent') },
    { urn: target, id: 'p', parent: old },
  ])
  const program: Program = async monitor => {
    await provider(monitor, 'own')
    const child = await monitor.register({
      type: inner,
      name: 'child',
      object: {},
      aliasURNs: [old],
    })
    await provider(monitor, 'childprov', { parent: child.urn })
  }
  const ran = await engine.run(program, destroy(target))
  expect(ran.result.result).toBe('succeeded')
  const urns = ran.state.resources?.map(({ urn }) => urn) ?? []
  expect(urns.filter(urn => urn.includes('provider'))).toEqual([own.urn])
  // What is no target stays as it is, its name and parent too.
  expect(stateOf(ran, 'child')).toMatchObject({ urn: old, parent: groupUrn('parent') })
})

test('TestDestroyV2ResourceReferencesAliasedProvider: a provider that moved goes with what it made', async () => {
  const engine = await engines.of(createCloud())
  await given(engine, [own, { urn: urnOf('a'), provider: reference }])
  const ran = await engine.run(async monitor => {
    const parent = await monitor.register({ type: group, name: 'b', object: {} })
    const aliasURNs = [own.urn]
    const ref = await provider(monitor, 'own', { parent: parent.urn, aliasURNs })
    await thing(monitor, 'a', {}, { custom: false, provider: ref })
  }, destroy())
  expect(ran.result.result).toBe('succeeded')
  expect(ran.state.resources ?? []).toEqual([])
})

test('TestDestroyV2ResourceWithDependencyOnDeleted: old copies that stand on old copies go', async () => {
  const engine = await engines.of(createCloud())
  const copy = { urn: groupUrn('g'), provider: reference }
  await given(engine, [
    own,
    copy,
    { ...copy, delete: true },
    {
      ...{ urn: urnOf('b'), id: 'b-1', delete: true, pendingReplacement: true },
      ...{ provider: reference, dependencies: [copy.urn] },
    },
  ])
  const program: Program = async monitor => void (await provider(monitor, 'own'))
  const ran = await engine.run(program, { ...destroy(), refresh: true })
  expect(ran.result.result).toBe('succeeded')
  expect(ran.state.resources ?? []).toEqual([])
})
