import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { resourceUrnOf } from '../components.ts'
import type { Program } from '../engine.ts'
import { resourceStepsOf, createReplaceInput } from '../resource-steps.ts'
import { createEngines, deleteFirst, registerThing } from '../register-thing.ts'

const engines = createEngines()
afterEach(() => engines.close())

const createPair =
  (replace: number, more: object = {}): Program =>
  async monitor => {
    const a = await registerThing(monitor, 'a', createReplaceInput(replace), more)
    await registerThing(monitor, 'b', { fixed: true }, { replaceWith: [a.urn] })
  }

test('TestReplaceWith: a resource is replaced together with the one that it names', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const first = await engine.run(createPair(1))
  const b = first.state.resources?.find(({ urn }) => urn === resourceUrnOf('b'))
  expect(b).toMatchObject({ replaceWith: [resourceUrnOf('a')] })
  const { events, state } = await engine.run(createPair(2))
  expect(resourceStepsOf(events).slice(0, 4)).toEqual([
    'create-replacement a',
    'replace a',
    'create-replacement b',
    'replace b',
  ])
  expect(cloud.mutatingCalls.slice(2).toSorted()).toEqual([
    'create a',
    'create b',
    'delete a-1',
    'delete b-1',
  ])
  const things = state.resources?.filter(({ type }) => type === 'test:index:Thing')
  expect(things?.map(thing => thing['id'])).toEqual(['a-2', 'b-2'])
  const nextRun = await engine.run(createPair(2))
  expect(resourceStepsOf(nextRun.events)).toEqual(['same a', 'same b'])
})

test('TestReplaceWithAndDeletedWith: a resource with replaceWith and deletedWith has no delete call of its own', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  const program =
    (replace: number, isFirst: boolean): Program =>
    async monitor => {
      const b = isFirst ? await registerThing(monitor, 'b', {}) : undefined
      const c = await registerThing(monitor, 'c', createReplaceInput(replace))
      const deletedWith = b === undefined ? {} : { deletedWith: b.urn }
      await registerThing(monitor, 'a', {}, { replaceWith: [c.urn], ...deletedWith })
    }
  const first = await engine.run(program(1, true))
  const a = first.state.resources?.find(({ urn }) => urn === resourceUrnOf('a'))
  expect(a).toMatchObject({ deletedWith: resourceUrnOf('b'), replaceWith: [resourceUrnOf('c')] })
  const { result } = await engine.run(program(2, false))
  expect(result.result).toBe('succeeded')
  expect(cloud.mutatingCalls.slice(3).toSorted()).toEqual([
    'create a',
    'create c',
    'delete b-1',
    'delete c-1',
  ])
})

test('TestReplaceWithDeleteBeforeReplace: a delete before the replacement includes the resource that names the replaced one in replaceWith', async () => {
  const cloud = createCloud()
  const engine = await engines.open(cloud)
  await engine.run(createPair(1, deleteFirst))
  const { events } = await engine.run(createPair(2, deleteFirst))
  expect(cloud.mutatingCalls.slice(2)).toEqual(['delete b-1', 'delete a-1', 'create a', 'create b'])
  expect(resourceStepsOf(events)).toEqual([
    'delete-replaced b',
    'delete-replaced a',
    'replace a',
    'create-replacement a',
    'replace b',
    'create-replacement b',
  ])
})
