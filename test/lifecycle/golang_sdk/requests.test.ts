import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import type { Program } from '../engine.ts'
import { statesOf, stepsOf } from '../run-events.ts'
import { createEngines, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

test('TestExplicitDeleteBeforeReplaceGoSDK: deleteBeforeReplace applies even without the field deleteBeforeReplaceDefined', async () => {
  const engine = await engines.open(createCloud())
  const program =
    (replace: string, deleteBeforeReplace: boolean): Program =>
    async monitor =>
      void (await registerThing(monitor, 'a', { replace }, { deleteBeforeReplace }))
  await engine.run(program('foo', false))
  const createFirst = await engine.run(program('bar', false))
  expect(stepsOf(createFirst)).toEqual(['create-replacement a', 'replace a', 'delete-replaced a'])
  const deleteFirst = await engine.run(program('baz', true))
  expect(stepsOf(deleteFirst)).toEqual(['delete-replaced a', 'replace a', 'create-replacement a'])
})

test('TestReadResourceGolangLifecycle: a read resource is stored as external, and its id may change', async () => {
  const cloud = createCloud()
  for (const id of ['one', 'two']) cloud.objects.set(id, { id })
  const engine = await engines.open(cloud)
  const program =
    (id: string): Program =>
    async monitor =>
      void (await monitor.read('a', id))
  for (const id of ['one', 'one', 'two']) {
    const testRun = await engine.run(program(id))
    expect(stepsOf(testRun)).toEqual(['read a'])
    expect(statesOf(testRun, 'a')).toMatchObject([{ id, external: true, outputs: { id } }])
  }
  const emptyRun = await engine.run(async () => undefined)
  expect(statesOf(emptyRun, 'a')).toEqual([])
  expect(cloud.mutatingCalls).toEqual([])
})
