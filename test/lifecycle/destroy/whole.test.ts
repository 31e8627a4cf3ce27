import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Asked, Program, Ran } from '../engine.ts'
import { given } from '../states.ts'
import { createEngines, thing } from '../things.ts'
import { errorsOf, provider, providerUrn, urnOf } from '../target/look.ts'

const engines = createEngines()
afterEach(() => engines.close())

const destroy = (...targets: readonly string[]): Asked => ({
  command: 'destroy',
  runProgram: true,
  targeting: { targets },
})
const component = 'test:index:Comp'
const at = (type: string, name: string): string => `urn:pulumi:dev::life::${type}::${name}`
const own = { urn: providerUrn('own'), id: 'own-id' }
const stackUrn = at('pulumi:pulumi:Stack', 'life-dev')
const reference = `${own.urn}::${own.id}`
const urnsIn = ({ state }: Ran): readonly string[] => (state.resources ?? []).map(({ urn }) => urn)
const notMeant = (urn: string): string =>
  `Resource '${urn}' will be destroyed but was not specified in --target list.`

// The engine of these tests refuses a published state that is not whole.
test('TestTargetedAliasDestroyV2: a provider that is a target does not go below what got another name', async () => {
  const engine = await engines.of(createCloud())
  const comp = at(component, 'compA')
  const old = at(`${component}$test:index:Thing`, 'resA')
  await given(engine, [
    own,
    { urn: comp, delete: true, provider: reference },
    { urn: old, provider: reference, parent: comp },
  ])
  const program: Program = async monitor => {
    const ref = await provider(monitor, 'own')
    await monitor.register({
      type: 'test:index:Thing',
      name: 'resA',
      custom: true,
      object: {},
      provider: ref,
      aliasURNs: [old],
    })
  }
  const ran = await engine.run(program, destroy(comp, own.urn))
  expect(errorsOf(ran)).toEqual([expect.stringContaining(notMeant(urnOf('resA')))])
  expect(urnsIn(ran)).toEqual(expect.arrayContaining([own.urn, urnOf('resA')]))
  const both = { targets: [comp, own.urn], targetDependents: true }
  const again = await engine.run(program, { ...destroy(), targeting: both })
  expect(again.result.result).toBe('succeeded')
  expect(urnsIn(again)).toEqual([stackUrn])
})

test('TestDestroyV2TargetChildWithNewParent: a parent that is a target does not go above what moved below it', async () => {
  const engine = await engines.of(createCloud())
  await given(engine, [
    own,
    { urn: at(component, 'future-parent'), provider: reference },
    { urn: providerUrn('future-child'), id: 'c' },
  ])
  const program: Program = async monitor => {
    const ref = await provider(monitor, 'own')
    const parent = await monitor.register({
      type: component,
      name: 'future-parent',
      object: {},
      provider: ref,
      retainOnDelete: true,
    })
    await provider(monitor, 'future-child', { parent: parent.urn })
  }
  const target = at(component, 'future-parent')
  const ran = await engine.run(program, destroy(target))
  const child = at(`${component}$pulumi:providers:test`, 'future-child')
  expect(errorsOf(ran)).toEqual([expect.stringContaining(notMeant(child))])
  expect(urnsIn(ran)).toEqual(expect.arrayContaining([target, child]))
})

test('TestDestroyV2RefreshWithTargetedProviderParentChange: a provider of which a parent is not made stays for what it made', async () => {
  const engine = await engines.of(createCloud())
  await given(engine, [
    own,
    { ...own, delete: true },
    { urn: at(component, 'resC'), provider: reference },
    { urn: urnOf('resD'), id: 'id2', provider: reference },
  ])
  const program: Program = async monitor => {
    const a = await monitor.register({
      type: 'other:m:typA',
      name: 'resA',
      custom: true,
      object: {},
    })
    await provider(monitor, 'own', { parent: a.urn })
    await monitor.register({ type: component, name: 'resC', object: {} })
    await monitor.register({ type: 'test:index:Thing', name: 'resD', custom: true, object: {} })
  }
  const ran = await engine.run(program, { ...destroy(urnOf('resD'), own.urn), refresh: true })
  expect(ran.result.result).toBe('succeeded')
  expect(urnsIn(ran)).toEqual(expect.arrayContaining([own.urn, at(component, 'resC')]))
  expect(urnsIn(ran)).not.toContain(urnOf('resD'))
})

/** A thing that the state has as `old`, and the program as `new`, on top of another. */
async function renamed(more: object = {}) {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(async monitor => {
    const { urn } = await thing(monitor, 'base', {})
    await thing(monitor, 'old', {}, { dependencies: [urn], ...more })
    await thing(monitor, 'other', {})
  })
  cloud.log.splice(0)
  const program: Program = async monitor => {
    const { urn } = await thing(monitor, 'base', {})
    await thing(monitor, 'new', {}, { dependencies: [urn], aliasURNs: [urnOf('old')] })
    await thing(monitor, 'other', {})
  }
  return {
    cloud,
    run: (targeting: NonNullable<Asked['targeting']>) =>
      engine.run(program, { ...destroy(), targeting }),
  }
}

test('what is left out by its old name stays, with what it stands on', async () => {
  const { cloud, run } = await renamed()
  const ran = await run({ excludes: [urnOf('old')] })
  expect(ran.result.result).toBe('succeeded')
  expect(cloud.log).toEqual(['delete other-1'])
  expect(urnsIn(ran)).toEqual(expect.arrayContaining([urnOf('new'), urnOf('base')]))
})

test('what was protected under its old name stays', async () => {
  const { cloud, run } = await renamed({ protect: true })
  const ran = await run({ excludeProtected: true })
  expect(ran.result.result).toBe('succeeded')
  expect(cloud.log).toEqual(['delete other-1'])
})

test('what is a target by its old name goes', async () => {
  const { cloud, run } = await renamed()
  const ran = await run({ targets: [urnOf('old')] })
  expect(ran.result.result).toBe('succeeded')
  expect(cloud.log).toEqual(['delete old-1'])
  expect(urnsIn(ran)).not.toContain(urnOf('new'))
})
