import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { TestRunOptions, Program, TestRun } from '../engine.ts'
import { deployThenAddResources } from '../stack-states.ts'
import { createEngines, registerThing } from '../register-thing.ts'
import {
  errorMessagesOf,
  registerProvider,
  defaultProviderUrnOf,
  targetUrnOf,
} from '../target/run-summary.ts'

const engines = createEngines()
afterEach(() => engines.close())

const destroy = (...targets: readonly string[]): TestRunOptions => ({
  command: 'destroy',
  runProgram: true,
  targeting: { targets },
})
const component = 'test:index:Comp'
const toUrn = (type: string, name: string): string => `urn:pulumi:dev::life::${type}::${name}`
const ownProvider = { urn: defaultProviderUrnOf('own'), id: 'own-id' }
const stackUrn = toUrn('pulumi:pulumi:Stack', 'life-dev')
const reference = `${ownProvider.urn}::${ownProvider.id}`
const readUrns = ({ state }: TestRun): readonly string[] =>
  (state.resources ?? []).map(({ urn }) => urn)
const formatNotTargeted = (urn: string): string =>
  `Resource '${urn}' will be destroyed but was not specified in --target list.`

// The engine of these tests refuses a published state with integrity errors.
test('TestTargetedAliasDestroyV2: a targeted provider is not deleted while a renamed resource uses it', async () => {
  const engine = await engines.open(createCloud())
  const comp = toUrn(component, 'compA')
  const old = toUrn(`${component}$test:index:Thing`, 'resA')
  await deployThenAddResources(engine, [
    ownProvider,
    { urn: comp, delete: true, provider: reference },
    { urn: old, provider: reference, parent: comp },
  ])
  const program: Program = async monitor => {
    const ref = await registerProvider(monitor, 'own')
    await monitor.register({
      type: 'test:index:Thing',
      name: 'resA',
      custom: true,
      object: {},
      provider: ref,
      aliasURNs: [old],
    })
  }
  const testRun = await engine.run(program, destroy(comp, ownProvider.urn))
  expect(errorMessagesOf(testRun)).toEqual([
    expect.stringContaining(formatNotTargeted(targetUrnOf('resA'))),
  ])
  expect(readUrns(testRun)).toEqual(expect.arrayContaining([ownProvider.urn, targetUrnOf('resA')]))
  const bothTargets = { targets: [comp, ownProvider.urn], targetDependents: true }
  const nextRun = await engine.run(program, { ...destroy(), targeting: bothTargets })
  expect(nextRun.result.result).toBe('succeeded')
  expect(readUrns(nextRun)).toEqual([stackUrn])
})

test('TestDestroyV2TargetChildWithNewParent: a targeted parent is not deleted while a resource that moved below it exists', async () => {
  const engine = await engines.open(createCloud())
  await deployThenAddResources(engine, [
    ownProvider,
    { urn: toUrn(component, 'future-parent'), provider: reference },
    { urn: defaultProviderUrnOf('future-child'), id: 'c' },
  ])
  const program: Program = async monitor => {
    const ref = await registerProvider(monitor, 'own')
    const parent = await monitor.register({
      type: component,
      name: 'future-parent',
      object: {},
      provider: ref,
      retainOnDelete: true,
    })
    await registerProvider(monitor, 'future-child', { parent: parent.urn })
  }
  const target = toUrn(component, 'future-parent')
  const testRun = await engine.run(program, destroy(target))
  const child = toUrn(`${component}$pulumi:providers:test`, 'future-child')
  expect(errorMessagesOf(testRun)).toEqual([expect.stringContaining(formatNotTargeted(child))])
  expect(readUrns(testRun)).toEqual(expect.arrayContaining([target, child]))
})

test('TestDestroyV2RefreshWithTargetedProviderParentChange: a provider whose new parent is not created stays for its resources', async () => {
  const engine = await engines.open(createCloud())
  await deployThenAddResources(engine, [
    ownProvider,
    { ...ownProvider, delete: true },
    { urn: toUrn(component, 'resC'), provider: reference },
    { urn: targetUrnOf('resD'), id: 'id2', provider: reference },
  ])
  const program: Program = async monitor => {
    const a = await monitor.register({
      type: 'other:m:typA',
      name: 'resA',
      custom: true,
      object: {},
    })
    await registerProvider(monitor, 'own', { parent: a.urn })
    await monitor.register({ type: component, name: 'resC', object: {} })
    await monitor.register({ type: 'test:index:Thing', name: 'resD', custom: true, object: {} })
  }
  const testRun = await engine.run(program, {
    ...destroy(targetUrnOf('resD'), ownProvider.urn),
    refresh: true,
  })
  expect(testRun.result.result).toBe('succeeded')
  expect(readUrns(testRun)).toEqual(
    expect.arrayContaining([ownProvider.urn, toUrn(component, 'resC')]),
  )
  expect(readUrns(testRun)).not.toContain(targetUrnOf('resD'))
})

/** Deploys a thing `old` with its dependency. `run` destroys by a program that names it `new`. */
async function deployBeforeRename(more: object = {}) {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    const { urn } = await registerThing(monitor, 'base', {})
    await registerThing(monitor, 'old', {}, { dependencies: [urn], ...more })
    await registerThing(monitor, 'other', {})
  })
  cloud.mutatingCalls.splice(0)
  const program: Program = async monitor => {
    const { urn } = await registerThing(monitor, 'base', {})
    await registerThing(
      monitor,
      'new',
      {},
      { dependencies: [urn], aliasURNs: [targetUrnOf('old')] },
    )
    await registerThing(monitor, 'other', {})
  }
  return {
    cloud,
    run: (targeting: NonNullable<TestRunOptions['targeting']>) =>
      engine.run(program, { ...destroy(), targeting }),
  }
}

test('a resource that is excluded by its old name is kept with its dependencies', async () => {
  const { cloud, run } = await deployBeforeRename()
  const testRun = await run({ excludes: [targetUrnOf('old')] })
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['delete other-1'])
  expect(readUrns(testRun)).toEqual(
    expect.arrayContaining([targetUrnOf('new'), targetUrnOf('base')]),
  )
})

test('a resource that is protected under its old name is kept', async () => {
  const { cloud, run } = await deployBeforeRename({ protect: true })
  const testRun = await run({ excludeProtected: true })
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['delete other-1'])
})

test('a resource that is targeted by its old name is deleted', async () => {
  const { cloud, run } = await deployBeforeRename()
  const testRun = await run({ targets: [targetUrnOf('old')] })
  expect(testRun.result.result).toBe('succeeded')
  expect(cloud.mutatingCalls).toEqual(['delete old-1'])
  expect(readUrns(testRun)).not.toContain(targetUrnOf('new'))
})
