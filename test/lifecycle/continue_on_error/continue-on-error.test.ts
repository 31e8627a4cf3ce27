import { afterEach, expect, test } from 'vitest'
import { DiffResponse } from '../../../proto/gen/pulumi/provider.ts'
import { Result } from '../../../proto/gen/pulumi/resource.ts'
import { createCloud } from '../cloud.ts'
import type { Monitor, Program } from '../engine.ts'
import { errorMessagesOf, listStateNames, resourceStateOf } from '../target/run-summary.ts'
import { createEngines, registerThing, createThings } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const continueOptions = { continueOnError: true } as const

/** Registers a resource like an SDK that receives failures, and returns the result. */
async function registerReporting(
  monitor: Monitor,
  name: string,
  more: object = {},
  object = { v: 1 },
) {
  const options = { supportsResultReporting: true, ...more }
  const { urn, result, id } = await registerThing(monitor, name, object, options)
  const entries = Object.entries(Result)
  return { urn, id, result: entries.find(([, value]) => value === result)?.[0] }
}

test('TestDestroyContinueOnError: a resource that cannot be deleted keeps its dependencies, and the others are deleted', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program: Program = async monitor => {
    const one = await registerThing(monitor, 'unrelated1', { v: 1 })
    await registerThing(monitor, 'unrelated2', { v: 1 }, { dependencies: [one.urn] })
    const dependency = await registerThing(monitor, 'dependency', { v: 1 })
    await registerThing(monitor, 'failing', { v: 1 }, { dependencies: [dependency.urn] })
    await registerThing(monitor, 'another', { v: 1 })
  }
  await engine.run(program)
  cloud.faults.add('delete failing-1')
  const testRun = await engine.run(createThings({}), continueOptions)
  expect(testRun.result.result).toBe('failed')
  expect(errorMessagesOf(testRun)).toContain('delete failing-1 was refused')
  expect(listStateNames(testRun)).toEqual(['dependency', 'failing'])
  expect([...cloud.objects.keys()].sort()).toEqual(['dependency-1', 'failing-1'])
  const nextRun = await engine.run(undefined, { command: 'destroy', ...continueOptions })
  expect(nextRun.result.result).toBe('failed')
  expect(listStateNames(nextRun)).toEqual(['dependency', 'failing'])
})

test('TestUpContinueOnErrorCreate, TestUpContinueOnErrorFailedDependencies: a failed create is reported, dependents of its resource are skipped, and the others are created', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const results: Record<string, string | undefined> = {}
  const program: Program = async monitor => {
    const register = async (name: string, more: object = {}) => {
      const { urn, result } = await registerReporting(monitor, name, more)
      results[name] = result
      return urn
    }
    const failing = await register('failing')
    const first = await register('independent1')
    await register('independent2', { dependencies: [first] })
    const dependent = await register('dependent', { dependencies: [failing] })
    await register('below', { dependencies: [dependent] })
    await register('child', { parent: failing })
    await register('deletedWith', { deletedWith: failing })
    await register('property', { propertyDependencies: new Map([['v', { urns: [failing] }]]) })
  }
  cloud.faults.add('create failing')
  const testRun = await engine.run(program, continueOptions)
  expect(testRun.result.result).toBe('failed')
  expect(results).toEqual({
    failing: 'FAIL',
    independent1: 'SUCCESS',
    independent2: 'SUCCESS',
    dependent: 'SKIP',
    below: 'SKIP',
    child: 'SKIP',
    deletedWith: 'SKIP',
    property: 'SKIP',
  })
  expect(listStateNames(testRun)).toEqual(['independent1', 'independent2'])
  // A preview without failures skips nothing.
  cloud.faults.clear()
  expect(
    (await engine.run(program, { ...continueOptions, dryRun: true })).result.changes,
  ).toMatchObject({
    create: 6,
  })
})

test('TestUpContinueOnErrorUpdate, TestUpContinueOnErrorUpdateWithRefresh: a resource whose update failed keeps its state', async () => {
  for (const runOptions of [continueOptions, { ...continueOptions, refresh: true }]) {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(createThings({ failing: { v: 1 }, gone: { v: 1 } }))
    cloud.faults.add('update failing-1')
    const results: unknown[] = []
    const testRun = await engine.run(async monitor => {
      results.push((await registerReporting(monitor, 'failing', {}, { v: 2 })).result)
      const first = await registerReporting(monitor, 'independent1')
      const second = await registerReporting(monitor, 'independent2', { dependencies: [first.urn] })
      results.push(first.result, second.result)
    }, runOptions)
    expect(testRun.result.result).toBe('failed')
    expect(results).toEqual(['FAIL', 'SUCCESS', 'SUCCESS'])
    // Resources that the program no longer registers are deleted nevertheless.
    expect(listStateNames(testRun)).toEqual(['failing', 'independent1', 'independent2'])
    expect(resourceStateOf(testRun, 'failing').inputs).toEqual({ v: 1 })
  }
})

test('TestUpContinueOnErrorNoSDKSupport, TestUpContinueOnErrorUpdateNoSDKSupport: an SDK without support for results receives an error', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const errors: string[] = []
  const program =
    (v: number): Program =>
    async monitor => {
      await registerThing(monitor, 'failing', { v }).catch((failed: Error) =>
        errors.push(failed.message),
      )
      const first = await registerThing(monitor, 'independent1', { v: 1 })
      await registerThing(monitor, 'independent2', { v: 1 }, { dependencies: [first.urn] })
    }
  cloud.faults.add('create failing')
  const testRun = await engine.run(program(1), continueOptions)
  expect(testRun.result.result).toBe('failed')
  expect(listStateNames(testRun)).toEqual(['independent1', 'independent2'])
  cloud.faults.clear()
  await engine.run(program(1))
  cloud.faults.add('update failing-1')
  const updated = await engine.run(program(2), continueOptions)
  expect(updated.result.result).toBe('failed')
  expect(resourceStateOf(updated, 'failing').inputs).toEqual({ v: 1 })
  expect(errors).toHaveLength(2)
  for (const message of errors) expect(message).toContain('resource registration failed')
})

test('TestDestroyContinueOnErrorDeleteAfterFailedUp: deletes run although a create failed', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createThings({ willBeDeleted: { v: 1 } }))
  cloud.faults.add('create failedUp')
  const testRun = await engine.run(
    async monitor => void (await registerReporting(monitor, 'failedUp')),
    continueOptions,
  )
  expect(testRun.result.result).toBe('failed')
  expect(errorMessagesOf(testRun)).toContain('create failedUp was refused')
  expect(listStateNames(testRun)).toEqual([])
  expect(cloud.objects.size).toBe(0)
})

test('TestContinueOnErrorImport: a failed import is reported', async () => {
  const cloud = createCloud()
  const script = {
    ...cloud.script,
    read: () => {
      throw new Error('intentionally failed read')
    },
  }
  const engine = await engines.open({ ...cloud, script })
  const errors: string[] = []
  const testRun = await engine.run(async monitor => {
    const pendingRegistration = registerThing(monitor, 'a', {}, { importId: 'id' })
    await pendingRegistration.catch((failed: Error) => errors.push(failed.message))
  }, continueOptions)
  expect(testRun.result.result).toBe('failed')
  expect(errors[0]).toContain('resource registration failed')
  expect(errorMessagesOf(testRun)).toContain('intentionally failed read')
  expect(listStateNames(testRun)).toEqual([])
})

test('TestContinueOnErrorWithChangingProviderOnCreate: a resource that could not be replaced keeps its provider', async () => {
  const cloud = createCloud()
  const script = {
    ...cloud.script,
    diffConfig: () => DiffResponse.create({ changes: 2, diffs: ['v'], replaces: ['v'] }),
  }
  const engine = await engines.open({ ...cloud, script })
  const program =
    (name: string): Program =>
    async monitor => {
      const type = 'pulumi:providers:test'
      const p = await monitor.register({ type, name, custom: true, object: {} })
      await registerReporting(monitor, 'a', { provider: `${p.urn}::${p.id}` })
    }
  await engine.run(program('provA'))
  cloud.faults.add('create a')
  const testRun = await engine.run(program('provB'), continueOptions)
  expect(testRun.result.result).toBe('failed')
  expect((testRun.state.resources ?? []).map(({ urn }) => urn.split('::').at(-1))).toEqual(
    expect.arrayContaining(['provA', 'provB', 'a']),
  )
  expect(resourceStateOf(testRun, 'a')).toMatchObject({ id: 'a-1' })
  expect(resourceStateOf(testRun, 'a').provider).toContain('::provA::')
})
