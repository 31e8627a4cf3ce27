import { afterEach, describe, expect, test } from 'vitest'
import { createCloud } from './cloud.ts'
import type { Program, TestRun } from './engine.ts'
import {
  createEngines,
  deleteFirst,
  registerThing,
  createThings,
  withDependency,
} from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const readNames = (testRun: TestRun): string[] =>
  (testRun.state.resources ?? []).map(({ urn }) => urn.split('::').at(-1) ?? '')

describe('up', () => {
  test('new resources are created, unchanged ones are not updated, and unregistered ones are deleted', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    const first = await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
    expect(first.result.changes).toEqual({ create: 3 })
    const second = await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
    expect(second.result).toMatchObject({
      result: 'succeeded',
      hasChanges: false,
      changes: { same: 3 },
    })
    const third = await engine.run(createThings({ a: { v: 2 } }))
    expect(third.result.changes).toEqual({ same: 1, update: 1, delete: 1 })
    expect(cloud.mutatingCalls).toEqual(['create a', 'create b', 'update a-1', 'delete b-1'])
    // The order of the states does not matter here.
    expect(readNames(third)).toEqual(
      ['a', 'life-dev', 'default'].sort(
        (x, y) => readNames(third).indexOf(x) - readNames(third).indexOf(y),
      ),
    )
  })

  test('a replacement is created first, and the old object is deleted at the end', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(createThings({ a: { replace: 1 } }))
    const testRun = await engine.run(createThings({ a: { replace: 2 } }))
    expect(cloud.mutatingCalls).toEqual(['create a', 'create a', 'delete a-1'])
    expect([...cloud.objects.keys()]).toEqual(['a-2'])
    expect(testRun.result.changes).toEqual({ same: 1, replace: 1 })
  })

  test('a delete before a replacement includes all dependents that would have to be replaced', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    const program =
      (version: number): Program =>
      async monitor => {
        const a = await registerThing(monitor, 'a', { replace: version }, deleteFirst)
        await registerThing(monitor, 'b', { replace: a.id }, withDependency(a.urn))
      }
    await engine.run(program(1))
    await engine.run(program(2))
    expect(cloud.mutatingCalls).toEqual([
      'create a',
      'create b',
      'delete b-1',
      'delete a-1',
      'create a',
      'create b',
    ])
  })

  test('a failed create ends the deployment with the earlier creates in the state, and the next one creates the rest', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    cloud.faults.add('create b')
    const failed = await engine.run(createThings({ a: { v: 1 }, b: { v: 1 }, c: { v: 1 } }))
    expect(failed.result.result).toBe('failed')
    expect(readNames(failed)).toEqual(['life-dev', 'default', 'a'])
    cloud.faults.clear()
    const testRun = await engine.run(createThings({ a: { v: 1 }, b: { v: 1 }, c: { v: 1 } }))
    expect(testRun.result).toMatchObject({ result: 'succeeded', changes: { same: 2, create: 2 } })
    expect([...cloud.objects.keys()]).toEqual(['a-1', 'b-1', 'c-1'])
  })

  test('a program that fails deletes no resource', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
    const testRun = await engine.run(async monitor => {
      await registerThing(monitor, 'a', { v: 1 })
      throw new Error('a bug of the user')
    })
    expect(testRun.result.result).toBe('failed')
    expect([...cloud.objects.keys()]).toEqual(['a-1', 'b-1'])
    expect(readNames(testRun)).toContain('b')
  })

  test('a duplicate URN ends the deployment', async () => {
    const engine = await engines.open(createCloud())
    const testRun = await engine.run(async monitor => {
      await registerThing(monitor, 'a', {})
      await registerThing(monitor, 'a', {})
    })
    expect(testRun.result.result).toBe('failed')
    expect(JSON.stringify(testRun.events)).toContain('Duplicate resource URN')
  })

  test('an aliased resource is kept', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(createThings({ old: { v: 1 } }))
    const testRun = await engine.run(async monitor => {
      const spec = {
        $case: 'spec' as const,
        value: { name: 'old', type: '', stack: '', project: '', parent: undefined },
      }
      await registerThing(monitor, 'new', { v: 1 }, { aliases: [{ alias: spec }] })
    })
    expect(cloud.mutatingCalls).toEqual(['create old'])
    expect(testRun.result.changes).toEqual({ same: 2 })
    expect(readNames(testRun)).toContain('new')
  })

  test('the number of concurrent operations is limited', async () => {
    const cloud = createCloud(20)
    const engine = await engines.open(cloud)
    const manyProgram: Program = async monitor => {
      await Promise.all(
        Array.from({ length: 20 }, (_, index) => registerThing(monitor, `t${index}`, { v: 1 })),
      )
    }
    await engine.run(manyProgram, { parallel: 3 })
    expect(cloud.readPeakConcurrency()).toBe(3)
    expect(cloud.objects.size).toBe(20)
  })
})

describe('destroy', () => {
  const chainProgram: Program = async monitor => {
    let before: string[] = []
    for (const name of ['a', 'b', 'c', 'd']) {
      const resource = await registerThing(monitor, name, { v: 1 }, { dependencies: before })
      before = [resource.urn]
    }
  }

  test('a destroy deletes all resources, dependents first', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(chainProgram)
    const testRun = await engine.run(undefined, { command: 'destroy' })
    expect(cloud.mutatingCalls.slice(4)).toEqual([
      'delete d-1',
      'delete c-1',
      'delete b-1',
      'delete a-1',
    ])
    expect(testRun.state.resources ?? []).toEqual([])
  })

  test('a failed delete keeps all dependencies of its resource', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(chainProgram)
    cloud.faults.add('delete c-1')
    const testRun = await engine.run(undefined, { command: 'destroy' })
    expect(testRun.result.result).toBe('failed')
    expect([...cloud.objects.keys()]).toEqual(['a-1', 'b-1', 'c-1'])
    expect(readNames(testRun)).toEqual(['life-dev', 'default', 'a', 'b', 'c'])
  })

  test('a protected resource is kept with its dependencies, and the others are deleted', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(async monitor => {
      const a = await registerThing(monitor, 'a', {})
      await registerThing(monitor, 'safe', {}, { dependencies: [a.urn], protect: true })
      await registerThing(monitor, 'other', {})
    })
    const testRun = await engine.run(undefined, { command: 'destroy' })
    expect(testRun.result.result).toBe('failed')
    expect([...cloud.objects.keys()].sort()).toEqual(['a-1', 'safe-1'])
  })

  test('1,000 independent resources are deleted through joins', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(async monitor => {
      await Promise.all(
        Array.from({ length: 1000 }, (_, index) => registerThing(monitor, `t${index}`, {})),
      )
    })
    const testRun = await engine.run(undefined, { command: 'destroy' })
    expect(testRun.result).toMatchObject({ result: 'succeeded', changes: { delete: 1001 } })
    expect(cloud.objects.size).toBe(0)
    expect(testRun.state.resources ?? []).toEqual([])
  })
})

describe('refresh and preview', () => {
  test('a refresh applies drift and removes missing resources', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
    cloud.objects.set('a-1', { v: 'theirs' })
    cloud.objects.delete('b-1')
    const testRun = await engine.run(undefined, { command: 'refresh' })
    expect(testRun.result.changes).toEqual({ same: 1, update: 1, delete: 1 })
    expect(readNames(testRun)).not.toContain('b')
    expect(JSON.stringify(testRun.state)).toContain('theirs')
  })

  test('an up with a refresh compares the program with the state that it read', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }))
    cloud.objects.delete('b-1')
    await engine.run(createThings({ a: { v: 1 }, b: { v: 1 } }), { refresh: true })
    expect(cloud.mutatingCalls).toEqual(['create a', 'create b', 'create b'])
    expect([...cloud.objects.keys()]).toEqual(['a-1', 'b-2'])
  })

  test('a preview changes neither the cloud nor the state nor the history', async () => {
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    const before = await engine.run(createThings({ a: { v: 1 } }))
    const testRun = await engine.run(createThings({ a: { v: 2 }, b: { v: 1 } }), { dryRun: true })
    expect(testRun.result.changes).toEqual({ same: 1, update: 1, create: 1 })
    expect(testRun.state).toEqual(before.state)
    expect(cloud.mutatingCalls).toEqual(['create a'])
    const record = (await engine.platform.catalog.listStacks()).stacks[0]
    expect(record?.deployments).toBe(1)
  })
})
