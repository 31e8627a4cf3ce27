import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program, TestRun } from '../engine.ts'
import { deployThenAddResources } from '../stack-states.ts'
import { createEngines } from '../register-thing.ts'
import {
  errorMessagesOf,
  registerProvider,
  defaultProviderUrnOf,
  resourceStateOf,
  targetUrnOf,
} from '../target/run-summary.ts'

const engines = createEngines()
afterEach(() => engines.close())

const component = 'test:index:Comp'
const toUrn = (type: string, name: string): string => `urn:pulumi:dev::life::${type}::${name}`
const ownProvider = { urn: defaultProviderUrnOf('own'), id: 'own-id' }
const reference = `${ownProvider.urn}::${ownProvider.id}`
const readUrns = ({ state }: TestRun): readonly string[] =>
  (state.resources ?? []).map(({ urn }) => urn)

// The engine of these tests refuses a published state with integrity errors.
test('TestTargetedUpdateWithProviderDependencyOnAliasedResource: an unknown dependency causes one error and is not stored', async () => {
  const engine = await engines.open(createCloud())
  const parent = toUrn(component, 'parent')
  const child = toUrn(`${component}$test:index:Thing`, 'child')
  await deployThenAddResources(engine, [
    ownProvider,
    { urn: parent, provider: reference },
    { urn: child, id: 'id-child', provider: reference, parent },
    { urn: defaultProviderUrnOf('b'), id: 'id-b', dependencies: [child] },
  ])
  const program: Program = async monitor => {
    const ref = await registerProvider(monitor, 'own')
    const parent = await monitor.register({
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
      parent: parent.urn,
      aliasURNs: [targetUrnOf('child')],
    })
    await registerProvider(monitor, 'b', { dependencies: [targetUrnOf('child')] })
  }
  const testRun = await engine.run(program)
  expect(errorMessagesOf(testRun)).toEqual([
    `resource '${defaultProviderUrnOf('b')}': its dependency '${targetUrnOf('child')}' is not known`,
  ])
  expect(resourceStateOf(testRun, 'b')).toMatchObject({
    urn: defaultProviderUrnOf('b'),
    dependencies: [child],
  })
})

test('TestUpdateDeletedWithResourceDependedsOnDeleteResource: a deletedWith target of which only an old copy exists causes one error', async () => {
  const engine = await engines.open(createCloud())
  const componentUrn = toUrn(component, 'resA')
  await deployThenAddResources(engine, [
    ownProvider,
    { urn: componentUrn, delete: true, provider: reference },
    { urn: defaultProviderUrnOf('b'), id: 'id2', deletedWith: componentUrn },
  ])
  const program: Program = async monitor => {
    await registerProvider(monitor, 'own')
    await registerProvider(monitor, 'b', { deletedWith: componentUrn })
  }
  const testRun = await engine.run(program)
  expect(errorMessagesOf(testRun)).toEqual([
    `resource '${defaultProviderUrnOf('b')}': its deletedWith '${componentUrn}' is not known`,
  ])
  expect(readUrns(testRun)).toEqual(
    expect.arrayContaining([componentUrn, defaultProviderUrnOf('b')]),
  )
})

test('a read or import with an unknown dependency is refused and not stored', async () => {
  const unknownUrn = targetUrnOf('nobody')
  for (const kind of ['read', 'import'] as const) {
    const cloud = createCloud()
    cloud.objects.set('there', { v: 1 })
    const engine = await engines.open(cloud)
    const testRun = await engine.run(async monitor => {
      if (kind === 'read') await monitor.read('a', 'there', { dependencies: [unknownUrn] })
      else {
        const more = { importId: 'there', dependencies: [unknownUrn] }
        await monitor.register({
          ...more,
          type: 'test:index:Thing',
          name: 'a',
          custom: true,
          object: { v: 1 },
        })
      }
    })
    expect(errorMessagesOf(testRun)).toEqual([
      `resource '${targetUrnOf('a')}': its dependency '${unknownUrn}' is not known`,
    ])
    expect(readUrns(testRun)).not.toContain(targetUrnOf('a'))
  }
})
