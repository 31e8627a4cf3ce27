import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { deployThenAddResources } from '../stack-states.ts'
import {
  registerProvider,
  defaultProviderUrnOf,
  resourceStateOf,
  targetUrnOf,
} from '../target/run-summary.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const ownProvider = { urn: defaultProviderUrnOf('own'), id: 'own-id' }
const reference = `${ownProvider.urn}::${ownProvider.id}`
const group = 'test:index:Group'

test('TestComponentResourceTypeAliasWithReadResource: a read resource stays a child of its renamed component', async () => {
  const cloud = createCloud()
  cloud.objects.set('policy', { v: 1 })
  const engine = await engines.open(cloud)
  const createReadingProgram =
    (type: string, more: object = {}): Program =>
    async monitor => {
      const { urn } = await monitor.register({ type, name: 'test', object: {}, ...more })
      await monitor.read('read', 'policy', { parent: urn })
      await monitor.registerOutputs(urn, {})
    }
  await engine.run(createReadingProgram('pkg:index:typA.Repro'))
  const old = 'urn:pulumi:dev::life::pkg:index:typA.Repro::test'
  const testRun = await engine.run(createReadingProgram('pkg:typA:Repro', { aliasURNs: [old] }))
  expect(testRun.result.result).toBe('succeeded')
  const urn = 'urn:pulumi:dev::life::pkg:typA:Repro::test'
  expect(resourceStateOf(testRun, 'test').urn).toBe(urn)
  expect(resourceStateOf(testRun, 'read').parent).toBe(urn)
  expect(testRun.state.resources).toHaveLength(4)
})

test('TestPendingReplacementUpdateSnapshotIntegrity: a resource that was deleted for its replacement is created after a refresh', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const pending = {
    urn: targetUrnOf('a'),
    id: 'a-0',
    pendingReplacement: true,
    provider: reference,
  }
  await deployThenAddResources(engine, [ownProvider, pending])
  const program: Program = async monitor => {
    const ref = await registerProvider(monitor, 'own')
    await registerThing(monitor, 'a', {}, { provider: ref })
  }
  const testRun = await engine.run(program, { refresh: true })
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['create a'])
  expect(resourceStateOf(testRun, 'a')).toMatchObject({ id: 'a-1', provider: reference })
})

test('TestUpdateWithTargetedResourceChangingParent: a replaced resource may leave a parent that is deleted', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const parent = { urn: `urn:pulumi:dev::life::${group}::parent`, provider: reference }
  const old = {
    urn: targetUrnOf('a', [group]),
    id: 'a-0',
    pendingReplacement: true,
    provider: reference,
    parent: parent.urn,
  }
  await deployThenAddResources(engine, [ownProvider, parent, old])
  const program: Program = async monitor => {
    const ref = await registerProvider(monitor, 'own')
    await registerThing(monitor, 'a', {}, { provider: ref, aliasURNs: [old.urn] })
  }
  const testRun = await engine.run(program, { refresh: true })
  expect(testRun.result.result).toBe('succeeded')
  expect(resourceStateOf(testRun, 'a')).toMatchObject({ urn: targetUrnOf('a'), id: 'a-1' })
  expect(testRun.state.resources?.map(({ urn }) => urn)).not.toContain(parent.urn)
})
