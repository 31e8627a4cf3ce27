import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { diagnosticsOf, statesOf, stepsOf } from '../run-events.ts'
import { createEngines, deleteFirst, registerThing, withDependency } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const protection = { protect: true }
const ignoreProtect = true

const createOne =
  (value: number): Program =>
  async monitor =>
    void (await registerThing(monitor, 'a', { replace: value }, protection))

/** `a` is deleted before its replacement is created, and `b` is replaced together with it. */
const createChain =
  (value: number): Program =>
  async monitor => {
    const a = await registerThing(
      monitor,
      'a',
      { replace: value },
      { ...protection, ...deleteFirst },
    )
    await registerThing(
      monitor,
      'b',
      { replace: a.id },
      { ...protection, ...withDependency(a.urn) },
    )
  }

test('TestIgnoreProtect, TestIgnoreProtectDestroy: with --ignore-protect, protected resources are deleted', async () => {
  for (const command of ['up', 'destroy'] as const) {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(createOne(1))
    const refused = await engine.run(async () => undefined, { command })
    expect(refused.result.result).toBe('failed')
    expect(statesOf(refused, 'a')).toMatchObject([{ protect: true }])
    const testRun = await engine.run(async () => undefined, { command, ignoreProtect })
    expect(diagnosticsOf(testRun)).toEqual([])
    expect(statesOf(testRun, 'a')).toEqual([])
    expect(cloud.mutatingCalls).toEqual(['create a', 'delete a-1'])
  }
})

test('with --ignore-protect, a destroy that runs its program deletes registered and unregistered protected resources', async () => {
  for (const program of [createOne(1), async () => undefined]) {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(createOne(1))
    const destroy = { command: 'destroy', runProgram: true } as const
    const refused = await engine.run(program, destroy)
    expect(refused.result.result).toBe('failed')
    const testRun = await engine.run(program, { ...destroy, ignoreProtect })
    expect(testRun.result.result).toBe('succeeded')
    expect(statesOf(testRun, 'a')).toEqual([])
    expect(cloud.mutatingCalls).toEqual(['create a', 'delete a-1'])
  }
})

test('TestIgnoreProtectReplace, TestIgnoreProtectDBRChain: with --ignore-protect, protected resources are replaced together with their dependents and stay protected', async () => {
  for (const program of [createOne, createChain]) {
    const engine = await engines.open(createCloud())
    await engine.run(program(1))
    const refused = await engine.run(program(2))
    expect(refused.result.result).toBe('failed')
    const testRun = await engine.run(program(2), { ignoreProtect })
    expect(testRun.result.result).toBe('succeeded')
    expect(stepsOf(testRun)).toContain('create-replacement a')
    expect(statesOf(testRun, 'a')).toMatchObject([{ id: 'a-2', protect: true }])
    if (program === createChain)
      expect(statesOf(testRun, 'b')).toMatchObject([{ id: 'b-2', protect: true }])
  }
})
