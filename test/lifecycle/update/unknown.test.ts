import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program, Ran } from '../engine.ts'
import { given } from '../states.ts'
import { createEngines } from '../things.ts'
import { errorsOf, provider, providerUrn, stateOf, urnOf } from '../target/look.ts'

const engines = createEngines()
afterEach(() => engines.close())

const component = 'test:index:Comp'
const at = (type: string, name: string): string => `urn:pulumi:dev::life::${type}::${name}`
const own = { urn: providerUrn('own'), id: 'own-id' }
const reference = `${own.urn}::${own.id}`
const urnsIn = ({ state }: Ran): readonly string[] => (state.resources ?? []).map(({ urn }) => urn)
// The engine of these tests refuses a published state that is not whole.
test('TestTargetedUpdateWithProviderDependencyOnAliasedResource: a dependency that nobody has is one error, and nothing depends on it', async () => {
  const engine = await engines.of(createCloud())
  const parent = at(component, 'parent')
  const child = at(`${component}$test:index:Thing`, 'child')
  await given(engine, [
    own,
    { urn: parent, provider: reference },
    { urn: child, id: 'id-child', provider: reference, parent },
    { urn: providerUrn('b'), id: 'id-b', dependencies: [child] },
  ])
  const program: Program = async monitor => {
    const ref = await provider(monitor, 'own')
    const made = await monitor.register({
      type: component,
      name: 'parent',
      object: {},
      provider: ref,
    })
    await monitor.register({
      type: 'test:index:Thing',
      name: 'child',
      custom: true,
      object: {},
      provider: ref,
      parent: made.urn,
      aliasURNs: [urnOf('child')],
    })
    await provider(monitor, 'b', { dependencies: [urnOf('child')] })
  }
  const ran = await engine.run(program)
  expect(errorsOf(ran)).toEqual([
    `resource '${providerUrn('b')}': its dependency '${urnOf('child')}' is not known`,
  ])
  expect(stateOf(ran, 'b')).toMatchObject({ urn: providerUrn('b'), dependencies: [child] })
})

test('TestUpdateDeletedWithResourceDependedsOnDeleteResource: nothing is deleted with what is only an old copy, which is one error', async () => {
  const engine = await engines.of(createCloud())
  const a = at(component, 'resA')
  await given(engine, [
    own,
    { urn: a, delete: true, provider: reference },
    { urn: providerUrn('b'), id: 'id2', deletedWith: a },
  ])
  const program: Program = async monitor => {
    await provider(monitor, 'own')
    await provider(monitor, 'b', { deletedWith: a })
  }
  const ran = await engine.run(program)
  expect(errorsOf(ran)).toEqual([
    `resource '${providerUrn('b')}': its deletedWith '${a}' is not known`,
  ])
  expect(urnsIn(ran)).toEqual(expect.arrayContaining([a, providerUrn('b')]))
})

test('what is read or imported names nothing unknown either, and nothing is asked for it', async () => {
  const nobody = urnOf('nobody')
  for (const asked of ['read', 'import'] as const) {
    const cloud = createCloud()
    cloud.objects.set('there', { v: 1 })
    const engine = await engines.of(cloud)
    const ran = await engine.run(async monitor => {
      if (asked === 'read') await monitor.read('a', 'there', { dependencies: [nobody] })
      else {
        const more = { importId: 'there', dependencies: [nobody] }
        await monitor.register({
          ...more,
          type: 'test:index:Thing',
          name: 'a',
          custom: true,
          object: { v: 1 },
        })
      }
    })
    expect(errorsOf(ran)).toEqual([
      `resource '${urnOf('a')}': its dependency '${nobody}' is not known`,
    ])
    expect(urnsIn(ran)).not.toContain(urnOf('a'))
  }
})
