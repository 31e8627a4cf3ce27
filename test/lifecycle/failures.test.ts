import { afterEach, expect, test } from 'vitest'
import { createCloud } from './cloud.ts'
import type { Monitor, Program, TestRun } from './engine.ts'
import { createEngines, deleteFirst, registerThing, withDependency } from './register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

/** Registers a thing like an SDK that lets a program continue after a failure. */
const registerReporting = (
  monitor: Monitor,
  name: string,
  object: Record<string, unknown>,
  more: object = {},
) => registerThing(monitor, name, object, { supportsResultReporting: true, ...more })

const idsOf = (testRun: TestRun): string[] =>
  (testRun.state.resources ?? []).flatMap(({ id, type }) =>
    type === 'test:index:Thing' && typeof id === 'string' ? [id] : [],
  )

const continueOptions = { continueOnError: true }

test('a failed replacement keeps the old resource', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (value: number): Program =>
    async monitor => {
      await registerReporting(monitor, 'a', { replace: value })
    }
  await engine.run(program(1))
  cloud.faults.add('create a')
  const testRun = await engine.run(program(2), continueOptions)
  expect(testRun.result.result).toBe('failed')
  expect([...cloud.objects.keys()]).toEqual(['a-1'])
  expect(idsOf(testRun)).toEqual(['a-1'])
})

test('the summary counts a replacement that failed after the deletion of its old resource', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (value: number): Program =>
    async monitor => {
      await registerReporting(monitor, 'a', { replace: value }, deleteFirst)
    }
  await engine.run(program(1))
  cloud.faults.add('create a')
  expect((await engine.run(program(2), continueOptions)).result.changes).toMatchObject({
    replace: 1,
  })
  cloud.faults.clear()
  expect((await engine.run(program(2))).result.changes).toMatchObject({ replace: 1 })
})

test('an unregistered resource is kept when the update of its dependent failed', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    const a = await registerReporting(monitor, 'a', { v: 1 })
    await registerReporting(monitor, 'b', { v: 1 }, { dependencies: [a.urn] })
  })
  const programWithoutA: Program = async monitor => {
    await registerReporting(monitor, 'b', { v: 2 })
  }
  cloud.faults.add('update b-1')
  const testRun = await engine.run(programWithoutA, continueOptions)
  expect(testRun.result.result).toBe('failed')
  expect(idsOf(testRun)).toEqual(['a-1', 'b-1'])
  cloud.faults.clear()
  expect(idsOf(await engine.run(programWithoutA))).toEqual(['b-1'])
})

test('a resource that would be deleted with a kept resource is deleted by a call of its own', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    const container = await registerReporting(monitor, 'container', { v: 1 })
    await registerReporting(monitor, 'user', { v: 1 }, { dependencies: [container.urn] })
    await registerReporting(monitor, 'inside', { v: 1 }, { deletedWith: container.urn })
  })
  cloud.faults.add('update user-1')
  const testRun = await engine.run(async monitor => {
    await registerReporting(monitor, 'user', { v: 2 })
  }, continueOptions)
  expect(testRun.result.result).toBe('failed')
  expect(idsOf(testRun)).toEqual(['container-1', 'user-1'])
  expect([...cloud.objects.keys()]).toEqual(['container-1', 'user-1'])
})

test('a replacement in which the delete of a dependent failed loses no object', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (value: number): Program =>
    async monitor => {
      const root = await registerReporting(monitor, 'root', { replace: value }, deleteFirst)
      if (root.urn === '') return
      await registerReporting(monitor, 'd1', { replace: root.id }, withDependency(root.urn))
      await registerReporting(monitor, 'd2', { replace: root.id }, withDependency(root.urn))
    }
  await engine.run(program(1))
  cloud.faults.add('delete d2-1')
  const testRun = await engine.run(program(2), continueOptions)
  expect(testRun.result.result).toBe('failed')
  expect(idsOf(testRun).sort()).toEqual([...cloud.objects.keys()].sort())
})

test('a replacement deletes the old copy of a former dependent, and keeps the new object', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (root: number, userNeedsRoot: boolean): Program =>
    async monitor => {
      const replacedRoot = await registerReporting(monitor, 'root', { replace: root }, deleteFirst)
      if (userNeedsRoot)
        await registerReporting(
          monitor,
          'user',
          { replace: replacedRoot.id },
          withDependency(replacedRoot.urn),
        )
      else await registerReporting(monitor, 'user', { replace: 'alone' })
    }
  await engine.run(program(1, true))
  cloud.faults.add('delete user-1')
  await engine.run(program(1, false))
  expect([...cloud.objects.keys()]).toContain('user-2')
  cloud.faults.clear()
  const testRun = await engine.run(program(2, false))
  expect(testRun.result.result).toBe('succeeded')
  expect(idsOf(testRun).sort()).toEqual([...cloud.objects.keys()].sort())
  expect([...cloud.objects.keys()].sort()).toEqual(['root-2', 'user-2'])
})

test('a resource whose replacement failed keeps its dependencies in the state', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(async monitor => {
    const root = await registerReporting(monitor, 'root', { v: 1 })
    await registerReporting(monitor, 'user', { replace: root.id }, withDependency(root.urn))
  })
  cloud.faults.add('create user')
  const testRun = await engine.run(async monitor => {
    await registerReporting(monitor, 'user', { replace: 'alone' })
  }, continueOptions)
  expect(testRun.result.result).toBe('failed')
  expect(idsOf(testRun)).toEqual(['root-1', 'user-1'])
  cloud.faults.clear()
  const nextRun = await engine.run(async monitor => {
    await registerReporting(monitor, 'user', { replace: 'alone' })
  })
  expect(idsOf(nextRun)).toEqual(['user-2'])
})

test('a deployment with an error fails even if it continued', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  cloud.faults.add('create a')
  const testRun = await engine.run(async monitor => {
    await registerReporting(monitor, 'a', { v: 1 })
    await registerReporting(monitor, 'b', { v: 1 })
  }, continueOptions)
  expect(testRun.result.result).toBe('failed')
  expect(idsOf(testRun)).toEqual(['b-1'])
})

test('a resource that is deleted with a replaced one is not deleted by a call of its own', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (value: number): Program =>
    async monitor => {
      const root = await registerReporting(monitor, 'root', { replace: value }, deleteFirst)
      await registerReporting(monitor, 'inside', { v: 1 }, { deletedWith: root.urn })
    }
  await engine.run(program(1))
  await engine.run(program(2))
  expect(cloud.mutatingCalls).not.toContain('delete inside-1')
})

test.each(['operations.putOutcome', 'operations.select'])(
  'one refused call of %s loses nothing',
  async name => {
    const program: Program = async monitor => {
      await registerReporting(monitor, 'a', { v: 1 })
    }
    const cloud = createCloud()
    const engine = await engines.open(cloud)
    const testRun = await engine.run(program, { kill: { effect: 1, call: name, when: 'refused' } })
    expect(testRun.effects.filter(effect => effect === name)).toHaveLength(2)
    expect(testRun.result.result).toBe('succeeded')
    expect(idsOf(testRun)).toEqual(['a-1'])
    expect(cloud.mutatingCalls).toEqual(['create a'])
    expect(JSON.stringify(testRun.events)).toContain(
      'it is kept in memory and retried: the store is temporarily unavailable',
    )
  },
)
