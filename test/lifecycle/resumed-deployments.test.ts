import { afterEach, describe, expect, test } from 'vitest'
import { InvokeResponse } from '../../proto/gen/pulumi/provider.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/read-snapshot-blob.ts'
import type { Urn } from '../../shared/names/urn.ts'
import { envelopeOf } from '../../shared/state/snapshot-codec.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import { createCloud } from './cloud.ts'
import type { TestRunOptions, Program, TestEngine } from './engine.ts'
import { ProcessKilledError } from './test-process.ts'
import { createEngines, getTestStack, registerThing, createThings } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Runs a program until its process is killed. */
async function runKilled(
  engine: TestEngine,
  program: Program,
  options: TestRunOptions,
): Promise<void> {
  const end = await engine.run(program, options).catch((thrown: unknown) => thrown)
  expect(end).toBeInstanceOf(ProcessKilledError)
}

/** Options of a run whose process is killed directly before its first operation begins. */
const beforeFirstBegin: TestRunOptions = {
  kill: { effect: 1, call: 'operations.begin', when: 'before' },
}
const [onlyA, both] = [createThings({ a: { v: 1 } }), createThings({ a: { v: 1 }, b: { v: 1 } })]

describe('a program that runs again', () => {
  test('receives the recorded answers, although the provider would now answer differently', async () => {
    const cloud = createCloud()
    let invokes = 0
    const invoke = () => InvokeResponse.create({ return: { count: (invokes += 1) } })
    const engine = await engines.open({ ...cloud, script: { ...cloud.script, invoke } })
    const program: Program = async monitor => {
      const { count } = await monitor.invoke('test:index:count')
      await registerThing(monitor, 'a', { v: count })
      const secondAnswer = await monitor.invoke('test:index:count')
      await registerThing(monitor, 'b', { v: count, later: secondAnswer['count'] })
    }
    await runKilled(engine, program, {
      kill: { effect: 2, call: 'operations.begin', when: 'before' },
    })
    await engine.run(program, { resume: true })
    expect([...cloud.objects.values()]).toEqual([{ v: 1 }, { v: 1, later: 2 }])
    expect(invokes).toBe(2)
  })

  test('receives the recorded answer of each of two equal calls, in any order', async () => {
    const cloud = createCloud()
    const [reached, slowRelease] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    let invokes = 0
    const invoke = async () => {
      const count = (invokes += 1)
      if (count === 1) {
        reached.resolve()
        await slowRelease.promise
      }
      return InvokeResponse.create({ return: { count } })
    }
    const engine = await engines.open({ ...cloud, script: { ...cloud.script, invoke } })
    const program: Program = async monitor => {
      const slow = monitor.invoke('test:index:count')
      await reached.promise
      const quick = await monitor.invoke('test:index:count')
      await registerThing(monitor, 'a', { v: quick['count'] })
      slowRelease.resolve()
      await registerThing(monitor, 'b', { v: (await slow)['count'] })
    }
    await runKilled(engine, program, {
      kill: { effect: 2, call: 'operations.begin', when: 'before' },
    })
    const testRun = await engine.run(program, { resume: true })
    expect([...cloud.objects.values()]).toEqual([{ v: 2 }, { v: 1 }])
    expect(JSON.stringify(testRun.events)).not.toContain('the recorded decision is kept')
    expect(invokes).toBe(2)
  })

  test('and registers a resource with other inputs keeps the begun operation and gets a warning', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await runKilled(engine, both, { kill: { effect: 2, call: 'operations.begin', when: 'before' } })
    const other = createThings({ a: { v: 2 }, b: { v: 1 } })
    const testRun = await engine.run(other, { resume: true })
    expect(cloud.mutatingCalls).toEqual(['create a', 'create b'])
    expect([...cloud.objects.values()]).toEqual([{ v: 1 }, { v: 1 }])
    expect(JSON.stringify(testRun.events)).toContain('the recorded decision is kept')
  })

  test('and registers fewer resources deletes the others', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await runKilled(engine, both, { kill: { effect: 2, call: 'operations.begin', when: 'before' } })
    const testRun = await engine.run(createThings({ b: { v: 1 } }), { resume: true })
    expect(testRun.result.result).toBe('succeeded')
    expect(cloud.mutatingCalls).toEqual(['create a', 'create b', 'delete a-1'])
  })

  test('does not repeat a create whose outcome was written and not selected', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    const kill = { effect: 1, call: 'operations.putOutcome', when: 'after' } as const
    await runKilled(engine, onlyA, { kill })
    const testRun = await engine.run(onlyA, { resume: true })
    expect(testRun.result).toMatchObject({ result: 'succeeded', pending: [] })
    expect(cloud.mutatingCalls).toEqual(['create a'])
  })
})

test('the summary of a resumed deployment contains the steps of all its runs', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(createThings({ a: { v: 1 }, b: { v: 1 }, c: { v: 1 }, r: { replace: 1 } }))
  const edited = createThings({ a: { v: 1 }, b: { v: 2 }, d: { v: 1 }, r: { replace: 2 } })
  const whole = await engine.run(edited, { dryRun: true })
  // The update, the create and the replacement are done. The first of two deletes has not begun.
  const beforeDeletes = { effect: 4, call: 'operations.begin', when: 'before' } as const
  await runKilled(engine, edited, { kill: beforeDeletes })
  const { result } = await engine.run(edited, { resume: true })
  expect(result.result).toBe('succeeded')
  expect(result.changes).toMatchObject({ same: 2, update: 1, create: 1, delete: 1, replace: 1 })
  expect(result.changes).toEqual(whole.result.changes)
  const { stack } = await engine.run(edited)
  const [, resumed] = await engine.platform.catalog.listHistory(stack, 2)
  expect(resumed?.changes).toEqual(result.changes)
})

describe('a resume is refused', () => {
  test('for another program', async () => {
    const engine = await engines.open(createCloud())
    await runKilled(engine, onlyA, beforeFirstBegin)
    const resumed = engine.run(onlyA, { resume: true, digest: 'another' })
    await expect(resumed).rejects.toMatchObject({ code: 'RESUME_DIFFERS' })
  })

  test('after a stop', async () => {
    const engine = await engines.open(createCloud())
    await runKilled(engine, onlyA, beforeFirstBegin)
    const { current } = await getTestStack(engine.platform)
    if (current === '') throw new Error('no deployment is open')
    await engine.platform.control.stop(current, 'graceful')
    const resumed = engine.run(onlyA, { resume: true })
    await expect(resumed).rejects.toMatchObject({ code: 'NOTHING_TO_RESUME' })
  })
})

test('a program gets its answer when the record of its registration is durable, not before', async () => {
  const engine = await engines.open(createCloud())
  const answered = Promise.withResolvers<string>()
  const program: Program = async () => answered.resolve('answered')
  const kill = { effect: 1, call: 'decisionLog.append settled', when: 'before' } as const
  await runKilled(engine, program, { kill })
  const timeout = new Promise<string>(resolve => setTimeout(() => resolve('silence'), 300))
  expect(await Promise.race([answered.promise, timeout])).toBe('silence')
})

test('an unchanged resource costs no write', async () => {
  const engine = await engines.open(createCloud())
  await engine.run(both)
  const { effects } = await engine.run(both)
  expect(effects.filter(name => /settled|registration|operations/.test(name))).toEqual([])
})

test('a deployment refuses an invalid state, and ignores a recorded integrity error of a valid one', async () => {
  const engine = await engines.open(createCloud())
  const { platform } = engine
  const { stack } = await engine.run(onlyA)
  const publish = async (state: StoredDeployment): Promise<void> => {
    const { version } = await getTestStack(platform)
    const blob = await platform.blobs.put(Buffer.from(JSON.stringify(await envelopeOf(state))))
    await platform.catalog.publish(stack, version, blob)
  }
  const state = await readSnapshotBlob(platform.blobs, (await getTestStack(platform)).snapshot)
  const nowhere = 'urn:pulumi:dev::life::test:index:Thing::nowhere' as Urn
  const [first, ...rest] = (state.resources ?? []).toReversed()
  if (first === undefined) throw new Error('the state has no resources')
  const bad = [...rest.toReversed(), { ...first, dependencies: [nowhere] }]
  await publish({ ...state, resources: bad })
  await expect(engine.run(both)).rejects.toMatchObject({
    code: 'STATE_INTEGRITY',
    message: expect.stringContaining('nowhere') as string,
  })
  const fault = { version: '1', error: 'a dependency was missing' }
  await publish({ ...state, metadata: { ...state.metadata, integrity_error: fault } })
  expect((await engine.run(both)).result.result).toBe('succeeded')
})
