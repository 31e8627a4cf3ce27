import { afterEach, expect, test } from 'vitest'
import { createCloud } from '../cloud.ts'
import { urnOf } from '../components.ts'
import type { Program } from '../engine.ts'
import { stepsOf, version } from '../options.ts'
import { createEngines, deleteFirst, thing } from '../things.ts'

const engines = createEngines()
afterEach(() => engines.close())

const pair =
  (replace: number, more: object = {}): Program =>
  async monitor => {
    const a = await thing(monitor, 'a', version(replace), more)
    await thing(monitor, 'b', { fixed: true }, { replaceWith: [a.urn] })
  }

test('TestReplaceWith: a resource is replaced with the one that it names', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const first = await engine.run(pair(1))
  const b = first.state.resources?.find(({ urn }) => urn === urnOf('b'))
  expect(b).toMatchObject({ replaceWith: [urnOf('a')] })
  const { events, state } = await engine.run(pair(2))
  expect(stepsOf(events).slice(0, 4)).toEqual([
    'create-replacement a',
    'replace a',
    'create-replacement b',
    'replace b',
  ])
  expect(cloud.log.slice(2).toSorted()).toEqual([
    'create a',
    'create b',
    'delete a-1',
    'delete b-1',
  ])
  const ids = state.resources?.filter(({ type }) => type === 'test:index:Thing')
  expect(ids?.map(one => one['id'])).toEqual(['a-2', 'b-2'])
  const again = await engine.run(pair(2))
  expect(stepsOf(again.events)).toEqual(['same a', 'same b'])
})

test('TestReplaceWithAndDeletedWith: what goes with one and is replaced with another is not deleted by itself', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  const program =
    (replace: number, isFirst: boolean): Program =>
    async monitor => {
      const b = isFirst ? await thing(monitor, 'b', {}) : undefined
      const c = await thing(monitor, 'c', version(replace))
      const deletedWith = b === undefined ? {} : { deletedWith: b.urn }
      await thing(monitor, 'a', {}, { replaceWith: [c.urn], ...deletedWith })
    }
  const first = await engine.run(program(1, true))
  const a = first.state.resources?.find(({ urn }) => urn === urnOf('a'))
  expect(a).toMatchObject({ deletedWith: urnOf('b'), replaceWith: [urnOf('c')] })
  const { result } = await engine.run(program(2, false))
  expect(result.result).toBe('succeeded')
  expect(cloud.log.slice(3).toSorted()).toEqual([
    'create a',
    'create c',
    'delete b-1',
    'delete c-1',
  ])
})

test('TestReplaceWithDeleteBeforeReplace: the cascade of a delete before the replacement takes it along', async () => {
  const cloud = createCloud()
  const engine = await engines.of(cloud)
  await engine.run(pair(1, deleteFirst))
  const { events } = await engine.run(pair(2, deleteFirst))
  expect(cloud.log.slice(2)).toEqual(['delete b-1', 'delete a-1', 'create a', 'create b'])
  expect(stepsOf(events)).toEqual([
    'delete-replaced b',
    'delete-replaced a',
    'replace a',
    'create-replacement a',
    'replace b',
    'create-replacement b',
  ])
})
